#include "nn/input/pair_readers.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nn/input/store_input.h"

namespace singa {
namespace {

// One of singa's input layers. It reads records of a store, or a text, whose order is fixed.
struct Reader {
  const NetNode* node;
  StoreInput* store;  // null: a text

  std::string name() const { return StrCat("\"", node->name, "\""); }
  // Returns the field of the LayerProto with the layer's settings.
  std::string field() const {
    if (store) return store->field();
    const std::string& path = node->declared().files.front().first;
    return path.substr(0, path.find('.'));
  }
  bool shuffles() const { return store && store->options().order.shuffle; }
  bool may_shuffle() const { return field() == "store_conf"; }
  int32_t random_skip() const { return store ? store->options().order.random_skip : 0; }
  int64_t batch() const { return node->out[0]->span.batch; }
};

// Returns one Reader for each layer, as copies and parts of an unrolled layer read the same
// records.
std::vector<Reader> ReadersOf(std::deque<NetNode>* nodes) {
  std::vector<Reader> readers;
  std::set<std::string> seen;
  for (NetNode& node : *nodes) {
    StoreInput* store = StoreInputOf(node.layer.get());
    if (!node.layer->reader() || node.conf.has_user_type()) continue;
    if (seen.insert(node.name).second) readers.push_back({&node, store});
  }
  return readers;
}

constexpr const char* kWhy = "record i of one input layer meets record i of the others";

void CheckShuffle(const Reader& first, const Reader& other) {
  if (first.shuffles() == other.shuffles()) return;
  const Reader& shuffled = first.shuffles() ? first : other;
  const Reader& ordered = first.shuffles() ? other : first;
  if (!ordered.may_shuffle())
    throw ConfigError(shuffled.field() + ".shuffle",
                      StrCat("must be false, as layer ", ordered.name(), ", a ",
                             LayerType_Name(ordered.node->conf.type()), ", cannot shuffle: ", kWhy))
        .Under(shuffled.node->path);
  throw ConfigError("store_conf.shuffle",
                    StrCat("must be true, as in layer ", shuffled.name(), ", is false: ", kWhy))
      .Under(ordered.node->path);
}

void CheckSkip(const Reader& first, const Reader& other) {
  const int32_t one = first.random_skip(), two = other.random_skip();
  if (one == two) return;
  // A text has no random_skip to change.
  const bool blames_first = !other.store;
  const Reader& blamed = blames_first ? first : other;
  const Reader& model = blames_first ? other : first;
  throw ConfigError(blamed.field() + ".random_skip",
                    StrCat("must be ", model.random_skip(), ", as in layer ", model.name(), ", is ",
                           blamed.random_skip(), ": ", kWhy))
      .Under(blamed.node->path);
}

void CheckBatch(const Reader& first, const Reader& other) {
  if (first.batch() == other.batch()) return;
  throw ConfigError(other.field() + ".batchsize",
                    StrCat("must be ", first.batch(), ", as in layer ", first.name(), ", is ",
                           other.batch(), ": ", kWhy))
      .Under(other.node->path);
}

// Returns the stores of the other layers that skip bad records.
std::vector<RowSource> StoresBeside(const std::vector<Reader>& readers, const NetNode& node) {
  std::vector<RowSource> stores;
  for (const Reader& reader : readers)
    if (reader.store && reader.node->name != node.name && reader.store->options().max_bad > 0)
      stores.push_back(reader.store->options());
  return stores;
}

}  // namespace

void PairReaders(Phase phase, std::deque<NetNode>* nodes, ConfigErrors* errors) {
  const std::vector<Reader> readers = ReadersOf(nodes);
  if (readers.size() < 2) return;
  for (size_t i = 1; i < readers.size(); ++i) {
    try {
      CheckBatch(readers[0], readers[i]);
      if (phase != kTrain) continue;  // other phases read each store from its first record on
      CheckShuffle(readers[0], readers[i]);
      CheckSkip(readers[0], readers[i]);
    } catch (const ConfigError& error) {
      errors->push_back(error);
    }
  }
  for (NetNode& node : *nodes)
    if (StoreInput* store = StoreInputOf(node.layer.get()))
      store->ReadBeside(readers[0].node->name, StoresBeside(readers, node));
}

}  // namespace singa
