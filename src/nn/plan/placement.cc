#include "nn/plan/placement.h"

#include <numeric>

namespace singa {
namespace {

class Placer {
 public:
  Placer(const std::deque<NetNode>& nodes, const std::vector<Node>& graph, size_t values)
      : nodes_(nodes), graph_(graph), group_(values) {
    std::iota(group_.begin(), group_.end(), 0);
  }

  Placement Run(bool device) {
    Placement placement;
    placement.nodes.assign(nodes_.size(), kHostSide);
    placement.data.resize(group_.size());
    placement.grads.resize(group_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const bool on_device = device && nodes_[i].traits.on_device;
      placement.nodes[i] = on_device ? kDeviceSide : kHostSide;
      if (nodes_[i].traits.aliases_in)
        for (const Read& out : graph_[i].out) Join(graph_[i].in[0].value, out.value);
    }
    PlaceData(&placement);
    PlaceSplits(&placement);
    PlaceGradients(&placement);
    return placement;
  }

 private:
  // Returns the representative of the values that share memory with `value` through splits.
  int GroupOf(int value) const {
    while (group_[value] != value) value = group_[value];
    return value;
  }
  void Join(int a, int b) { group_[GroupOf(b)] = GroupOf(a); }

  void PlaceData(Placement* placement) {
    std::vector<OnSides> groups(group_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].traits.aliases_in) continue;
      for (const Read& out : graph_[i].out) groups[GroupOf(out.value)][placement->nodes[i]] = true;
      for (size_t s = 0; s < graph_[i].in.size(); ++s) {
        OnSides& sides = groups[GroupOf(graph_[i].in[s].value)];
        sides[placement->nodes[i]] = true;
        if (nodes_[i].traits.checks >> s & 1) sides[kHostSide] = true;
      }
    }
    for (size_t v = 0; v < group_.size(); ++v) placement->data[v] = groups[GroupOf(int(v))];
  }

  void PlaceSplits(Placement* placement) {
    for (size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].traits.aliases_in)
        placement->nodes[i] =
            placement->data[graph_[i].in[0].value][kDeviceSide] ? kDeviceSide : kHostSide;
  }

  void PlaceGradients(Placement* placement) {
    for (size_t i = 0; i < nodes_.size(); ++i)
      for (const auto* reads : {&graph_[i].in, &graph_[i].out})
        for (const Read& read : *reads) placement->grads[read.value][placement->nodes[i]] = true;
  }

  const std::deque<NetNode>& nodes_;
  const std::vector<Node>& graph_;
  std::vector<int> group_;
};

}  // namespace

Placement PlaceNodes(const std::deque<NetNode>& nodes, const std::vector<Node>& graph,
                     size_t values, bool device) {
  return Placer(nodes, graph, values).Run(device);
}

}  // namespace singa
