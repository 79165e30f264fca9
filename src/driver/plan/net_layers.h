// NetLayers maps the nodes of a worker's net to the layers that a plan speaks of: those of the
// conf. Splits and bridges, which the passes insert, are no such layers.
#pragma once

#include <string>
#include <vector>

#include "nn/cost/cost_net.h"
#include "singa/nn/net.h"

namespace singa {

class NetLayers {
 public:
  explicit NetLayers(const Net& net);

  // The layers' names, in the order of their first nodes.
  const std::vector<std::string>& names() const { return names_; }
  // Returns the layer of nodes()[node]; of a split: that of its source; -1: a bridge.
  int Of(size_t node) const { return of_node_[node]; }
  // Returns the layers with names, types, reads and outputs, without costs. The features have the
  // sizes of the whole batch. Reads of a later layer are left out.
  std::vector<CostLayer> Skeleton() const;
  // Returns what nodes()[node] reads, over bridges, of a stage of its own layer (Layer::Stage): all
  // units, for the whole batch. 0 bytes: nothing.
  CostOutput ReadOfStage(size_t node) const;

 private:
  struct Maker {
    int node = -1, output = 0;
  };
  Maker OriginOf(int value) const;

  const Net& net_;
  std::vector<std::string> names_;
  std::vector<int> of_node_;
  std::vector<Maker> makers_;  // of each value
};

}  // namespace singa
