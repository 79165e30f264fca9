#include "nn/input/pair_cuts.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "nn/input/image_preprocess.h"

namespace singa {
namespace {

// Returns the input layer that is reached from layer `name` by first sources; "": none.
std::string InputOf(std::string name, const std::map<std::string, const NetNode*>& nodes) {
  for (size_t hops = 0; hops <= nodes.size(); ++hops) {
    const auto it = nodes.find(name.substr(0, name.rfind(':')));
    if (it == nodes.end()) return "";
    if (it->second->wiring.is_input) return it->first;
    if (it->second->conf.srclayers_size() == 0) return "";
    name = it->second->conf.srclayers(0);
  }
  return "";
}

}  // namespace

CuttingLayer* CuttingLayerOf(const LayerProto& conf, Layer* layer) {
  const bool cuts = conf.type() == kImagePreprocess || conf.type() == kRGBImage;
  return cuts && !conf.has_user_type() ? static_cast<CuttingLayer*>(layer) : nullptr;
}

void PairCuts(std::deque<NetNode>* nodes) {
  std::map<std::string, const NetNode*> by_name;
  for (const NetNode& node : *nodes) by_name.emplace(node.name, &node);
  // The layers that cut the pictures of each input layer.
  std::map<std::string, std::vector<std::string>> of_input;
  std::vector<std::string> streams;  // [k]: stream of the k-th such layer of each
  for (NetNode& node : *nodes) {
    CuttingLayer* const layer = CuttingLayerOf(node.conf, node.layer.get());
    if (!layer) continue;
    std::vector<std::string>& own = of_input[InputOf(node.name, by_name)];
    // The name is there already if `node` is a copy of a layer.
    auto place = std::find(own.begin(), own.end(), node.name);
    if (place == own.end()) place = own.insert(place, node.name);
    const auto number = static_cast<size_t>(place - own.begin());
    if (number == streams.size()) streams.push_back(node.name);
    layer->DrawAs(streams[number]);
  }
}

}  // namespace singa
