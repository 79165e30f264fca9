#include "driver/facts/input_facts.h"

#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "driver/facts/check_readers.h"
#include "driver/facts/peek_store.h"
#include "io/table/table_columns.h"
#include "nn/graph/graph.h"
#include "nn/input/store_input.h"
#include "nn/plan/net_builder.h"

namespace singa {
namespace {

// Sets the smallest number of classes of the losses that read labels directly from the layer.
void SetClasses(const Net& net, InputFacts* input) {
  for (const NetNode& node : net.nodes()) {
    const bool loss = node.wiring.reads_scores && node.traits.originates_gradient;
    if (!loss || node.conf.srclayers_size() != 2) continue;
    const std::string& labels = node.conf.srclayers(1);
    if (labels.substr(0, labels.rfind(':')) != input->layer) continue;
    if (node.conf.softmaxloss_conf().has_ignore_label() || node.in.empty()) continue;
    const int64_t classes = node.in[0]->data.row_size();
    if (input->classes >= 0 && input->classes <= classes) continue;
    input->classes = classes;
    input->loss = node.name;
  }
}

// Gathers the facts of a net's store inputs. `facts` returns false if an input has none.
template <typename GetFacts>
std::vector<InputFacts> Gather(Net* net, const GetFacts& facts) {
  std::vector<InputFacts> inputs;
  std::set<std::string> seen;
  for (NetNode& node : net->nodes()) {
    StoreInput* store = StoreInputOf(node.layer.get());
    if (!store || !seen.insert(node.name).second) continue;
    InputFacts input;
    input.phase = net->phase();
    input.layer = node.name;
    input.path = StrCat("neuralnet.", node.path, ".", store->field());
    input.source = store->options();
    if (!facts(store, &input)) continue;
    SetClasses(*net, &input);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// Opens each store once, even if layers of several phases read it.
class Peeking {
 public:
  explicit Peeking(PeekAt at) : at_(at) {}

  // Returns the net's inputs whose stores have facts.
  std::vector<InputFacts> Inputs(Net* net) {
    return Gather(net, [this, net](StoreInput* store, InputFacts* input) {
      const PeekedStore& peeked = Of(store->options());
      if (peeked.facts) input->facts = *peeked.facts;
      for (const ConfigError& error : peeked.errors) Add(error.Under(input->path));
      CheckTargets(net, *input);
      return peeked.facts.has_value();
    });
  }

  void AddOtherReaders(Net* net) {
    for (NetNode& node : net->nodes())
      for (const ConfigError& error : PeekReader(net, &node))
        Add(error.Under("neuralnet." + node.path));
  }

  const ConfigErrors& errors() const { return errors_; }

 private:
  const PeekedStore& Of(const RowSource& source) {
    const StoreOptions& store = source.store;
    std::vector<std::string> key = {
        source.backend,
        store.path,
        store.label_path,
        store.separator,
        store.label_column,
        store.root_folder,
        source.norm.mean_file,
        source.norm.std_file,
        StrCat(store.channels, store.encoded, store.has_label, store.header, " ", store.targets),
        StrCat(store.short_side),
        StrCat(store.records, " ", source.max_bad > 0),
        StrCat(static_cast<int>(store.colours), " ", static_cast<int>(store.format))};
    for (int64_t size : source.shape) key.push_back(StrCat(size));
    key.emplace_back();
    key.insert(key.end(), store.class_names.begin(), store.class_names.end());
    key.emplace_back();
    for (const TableColumn& column : store.columns) {
      key.push_back(ColumnText(column));
      key.push_back(StrCat(std::bit_cast<uint32_t>(column.missing.value_or(0))));
    }
    auto it = peeked_.find(key);
    if (it == peeked_.end()) it = peeked_.emplace(key, PeekStore(source, at_)).first;
    return it->second;
  }

  // Adds the errors that layers find in the targets of the first record.
  void CheckTargets(Net* net, const InputFacts& input) {
    if (input.facts.targets.empty() || input.source.max_bad > 0) return;
    for (const std::string& text : CheckReaders(net, input.layer + ":1", input.facts.targets))
      Add(ConfigError("path", StrCat(input.source.store.path, ": record 0: ", text), kExitBadData)
              .Under(input.path));
  }

  // Adds an error, unless the same layer's store already had it in another phase.
  void Add(const ConfigError& error) {
    for (const ConfigError& known : errors_)
      if (known.path() == error.path() && known.message() == error.message()) return;
    errors_.push_back(error);
  }

  const PeekAt at_;
  std::map<std::vector<std::string>, PeekedStore> peeked_;  // by the settings that define the store
  ConfigErrors errors_;
};

}  // namespace

std::vector<InputFacts> InputsOf(Net* net) {
  return Gather(net, [](StoreInput* store, InputFacts* input) {
    input->facts = store->Facts();
    return true;
  });
}

std::vector<InputFacts> InputsOf(Trainer* trainer) {
  std::vector<InputFacts> all = InputsOf(&trainer->model().net());
  for (Phase phase : {kTest, kVal}) {
    Evaluator* evaluator = trainer->model().evaluator(phase);
    if (!evaluator) continue;
    const std::vector<InputFacts> more = InputsOf(&evaluator->net());
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<InputFacts> PeekInputs(const NetProto& conf, const std::vector<Phase>& phases,
                                   ConfigErrors* unreadable) {
  std::vector<InputFacts> all;
  Peeking peeking(unreadable ? PeekAt::kRecords : PeekAt::kFacts);
  for (Phase phase : phases) {
    NetOptions options;
    options.phase = phase;
    options.gradients = false;
    ParamTable params;
    ConfigErrors errors;
    Net net = BuildNet(conf, options, &params, &errors);
    if (!errors.empty()) continue;
    const std::vector<InputFacts> inputs = peeking.Inputs(&net);
    if (unreadable) peeking.AddOtherReaders(&net);
    all.insert(all.end(), inputs.begin(), inputs.end());
  }
  if (unreadable) *unreadable = peeking.errors();
  return all;
}

std::vector<InputFacts> PeekTraining(const NetProto& conf) {
  std::vector<InputFacts> inputs = PeekInputs(conf, {kTrain});
  for (InputFacts& input : inputs) input.facts.left_out = {}, input.facts.labels = {};
  return inputs;
}

}  // namespace singa
