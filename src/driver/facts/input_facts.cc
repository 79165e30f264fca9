#include "driver/facts/input_facts.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "nn/graph/graph.h"
#include "nn/input/store_input.h"
#include "nn/plan/net_builder.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kQuickBytes = int64_t{64} << 20;  // a fraction of a second to scan
constexpr int kQuickFiles = 20000;                  // of a folder

const char* FieldOf(const LayerProto& conf) {
  if (conf.type() == kShardData) return "sharddata_conf";
  return conf.type() == kLMDBData ? "lmdbdata_conf" : "store_conf";
}

// The fewest classes of the losses that read labels straight from the layer.
void SetClasses(const Net& net, InputFacts* input) {
  for (const NetNode& node : net.nodes()) {
    if (!IsSoftmaxLoss(node.conf) || node.conf.srclayers_size() != 2) continue;
    const std::string& labels = node.conf.srclayers(1);
    if (labels.substr(0, labels.rfind(':')) != input->layer) continue;
    if (node.conf.softmaxloss_conf().has_ignore_label() || node.in.empty()) continue;
    const int64_t classes = node.in[0]->data.row_size();
    if (input->classes >= 0 && input->classes <= classes) continue;
    input->classes = classes;
    input->loss = node.name;
  }
}

// `facts`: of a store input; false: there are none.
template <typename GetFacts>
std::vector<InputFacts> Gather(Net* net, const GetFacts& facts) {
  std::vector<InputFacts> inputs;
  std::set<std::string> seen;
  for (NetNode& node : net->nodes()) {
    StoreInput* store = StoreInputOf(node.conf, node.layer.get());
    if (!store || !seen.insert(node.name).second) continue;
    InputFacts input;
    input.phase = net->phase();
    input.layer = node.name;
    input.path = StrCat("neuralnet.", node.path, ".", FieldOf(node.conf));
    input.source = store->options();
    if (!facts(store, &input)) continue;
    SetClasses(*net, &input);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

int64_t BytesOf(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const auto bytes = fs::file_size(path, error);
    return error ? 0 : static_cast<int64_t>(bytes);
  }
  int64_t bytes = 0;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error)) bytes += BytesOf(it->path());
  return bytes;
}

bool HasFewFiles(const fs::path& folder) {
  std::error_code error;
  int files = 0;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (++files > kQuickFiles) return false;
  return true;
}

bool IsQuick(const RowSource& source) {
  const std::string& path = source.store.path;
  std::error_code error;
  if (source.backend == "synthetic" || source.backend == "cifar10") return true;
  if (source.backend == "idx" && !path.ends_with(".gz")) return true;
  if (source.backend == "imagefolder" && fs::is_directory(path, error)) return HasFewFiles(path);
  return BytesOf(path) <= kQuickBytes;
}

// Facts of stores that were opened, by what makes them what they are.
using Opened = std::map<std::vector<std::string>, std::optional<StoreFacts>>;

std::optional<StoreFacts> Open(const RowSource& source) {
  if (!IsQuick(source)) return std::nullopt;
  StoreOptions options = source.store;
  options.warns = false;
  try {
    return FactsOf(source.backend, options, OpenStore(source.backend, options).get());
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool Peek(const RowSource& source, Opened* opened, StoreFacts* facts) {
  const std::vector<std::string> key = {
      source.backend,
      source.store.path,
      source.store.label_path,
      StrCat(source.store.channels, source.store.encoded),
      StrCat(source.store.records),
      StrCat(static_cast<int>(source.store.colours), source.store.has_label)};
  auto it = opened->find(key);
  if (it == opened->end()) it = opened->emplace(key, Open(source)).first;
  if (it->second) *facts = *it->second;
  return it->second.has_value();
}

}  // namespace

std::vector<InputFacts> InputsOf(Net* net) {
  return Gather(net, [](StoreInput* store, InputFacts* input) {
    input->facts = store->Facts();
    return true;
  });
}

std::vector<InputFacts> InputsOf(Trainer* trainer) {
  std::vector<InputFacts> all = InputsOf(&trainer->net());
  for (Phase phase : {kTest, kVal}) {
    Evaluator* evaluator = trainer->evaluator(phase);
    if (!evaluator) continue;
    const std::vector<InputFacts> more = InputsOf(&evaluator->net());
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<InputFacts> PeekInputs(const NetProto& conf, const std::vector<Phase>& phases) {
  std::vector<InputFacts> all;
  Opened opened;
  for (Phase phase : phases) {
    NetOptions options;
    options.phase = phase;
    options.gradients = false;
    ParamTable params;
    ConfigErrors errors;
    Net net = BuildNet(conf, options, {&params}, &errors);
    if (!errors.empty()) continue;
    const auto inputs = Gather(&net, [&](StoreInput* store, InputFacts* input) {
      return Peek(store->options(), &opened, &input->facts);
    });
    all.insert(all.end(), inputs.begin(), inputs.end());
  }
  return all;
}

std::vector<InputFacts> PeekTraining(const NetProto& conf) {
  std::vector<InputFacts> inputs = PeekInputs(conf, {kTrain});
  for (InputFacts& input : inputs) input.facts.left_out = {}, input.facts.labels = {};
  return inputs;
}

}  // namespace singa
