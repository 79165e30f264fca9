#include "driver/plan/net_layers.h"

#include <algorithm>
#include <map>

#include "nn/connection/row_pieces.h"
#include "nn/plan/net_layout.h"

namespace singa {
namespace {

// Returns the bytes of an output for all rows of the group.
int64_t WholeBytes(const Port& out) {
  if (out.span.rows == 0) return out.data.bytes();
  return out.data.bytes() / out.span.rows * GroupRows(out.span).second;
}

// Returns whether a node gives the values of its source. A node whose source does its work is a
// layer all the same.
bool PassesOn(const NetNode& node) {
  return node.bridge || (node.traits.aliases_in && !node.fused);
}

}  // namespace

NetLayers::NetLayers(const Net& net)
    : net_(net), of_node_(net.nodes().size(), -1), makers_(net.layout().values.size()) {
  std::map<std::string, int> numbers;
  const std::vector<Node>& graph = net.layout().graph;
  for (size_t i = 0; i < graph.size(); ++i) {
    const NetNode& node = net.nodes()[i];
    for (size_t k = 0; k < graph[i].out.size(); ++k)
      makers_[graph[i].out[k].value] = {static_cast<int>(i), static_cast<int>(k)};
    if (node.bridge) continue;
    if (PassesOn(node)) {
      const int source = OriginOf(graph[i].in[0].value).node;
      of_node_[i] = source < 0 ? -1 : of_node_[source];
      continue;
    }
    const auto [at, added] = numbers.try_emplace(node.name, static_cast<int>(names_.size()));
    if (added) names_.push_back(node.name);
    of_node_[i] = at->second;
  }
}

// Looks through splits and bridges.
NetLayers::Maker NetLayers::OriginOf(int value) const {
  Maker maker = makers_[value];
  while (maker.node >= 0 && PassesOn(net_.nodes()[maker.node]))
    maker = makers_[net_.layout().graph[maker.node].in[0].value];
  return maker;
}

CostOutput NetLayers::ReadOfStage(size_t node) const {
  CostOutput found = {0, false};
  if (PassesOn(net_.nodes()[node])) return found;
  const NetLayout& layout = net_.layout();
  for (const Read& read : layout.graph[node].in) {
    const int from = makers_[read.value].node;
    const Maker origin = OriginOf(read.value);
    if (from < 0 || !net_.nodes()[from].bridge || origin.node < 0) continue;
    if (of_node_[origin.node] != of_node_[node]) continue;
    const Port& out = *net_.nodes()[origin.node].out[origin.output];
    found.bytes += WholeBytes(out) / out.units.count * out.units.all;
    const int value = layout.graph[origin.node].out[origin.output].value;
    if (layout.values[value].needs_grad()) found.wants_gradient = true;
  }
  return found;
}

std::vector<CostLayer> NetLayers::Skeleton() const {
  std::vector<CostLayer> layers(names_.size());
  const NetLayout& layout = net_.layout();
  for (size_t i = 0; i < of_node_.size(); ++i) {
    const NetNode& node = net_.nodes()[i];
    if (of_node_[i] < 0 || PassesOn(node)) continue;
    CostLayer& layer = layers[of_node_[i]];
    layer.name = node.name;
    layer.type =
        node.conf.has_user_type() ? node.conf.user_type() : LayerType_Name(node.conf.type());
    layer.reads_all = node.wiring.unit_cut == UnitCut::kOwn;
    layer.dense = layer.reads_all && node.out[0]->data.shape().dims() == 2;
    layer.outputs.resize(std::max(layer.outputs.size(), node.out.size()), {0, false});
    for (size_t k = 0; k < node.out.size(); ++k) {
      layer.outputs[k].bytes += WholeBytes(*node.out[k]);
      if (layout.values[layout.graph[i].out[k].value].needs_grad())
        layer.outputs[k].wants_gradient = true;
    }
    for (const Read& read : layout.graph[i].in) {
      const Maker maker = OriginOf(read.value);
      if (maker.node < 0 || of_node_[maker.node] < 0 || of_node_[maker.node] >= of_node_[i])
        continue;
      const CostRead found{of_node_[maker.node], maker.output};
      if (std::none_of(layer.reads.begin(), layer.reads.end(), [&](const CostRead& known) {
            return known.source == found.source && known.output == found.output;
          }))
        layer.reads.push_back(found);
    }
  }
  return layers;
}

}  // namespace singa
