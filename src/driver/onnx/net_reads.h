// What nodes of a net read, as pieces of what others give: what is asked of a model, and by whom.
#pragma once

#include <string>
#include <vector>

#include "driver/onnx/time_steps.h"
#include "singa/nn/net.h"

namespace singa {

// An output of the model: some or all steps of an output of a layer.
struct Wanted {
  std::string name;
  Pieces pieces;
};

class NetReads {
 public:
  explicit NetReads(const Net& net);

  // Of source `slot` of the node at place `i` of nodes(). All steps of a text are its output 0.
  const Pieces& Of(int i, int slot) const { return reads_[i][slot]; }

  // Every output of the layer `name`. Throws Error: there is none, or it is an input layer.
  std::vector<Wanted> OutputsOf(const std::string& name) const;
  // The scores that the net's one loss reads and, of a kSoftmaxLoss, their softmax. Throws Error:
  // there is not one loss.
  std::vector<Wanted> OutputsOfLoss() const;

 private:
  const NetNode& node(int i) const { return net_.nodes()[i]; }
  // Places of the nodes of layer `name`, in the order of their steps.
  std::vector<int> NodesOf(const std::string& name) const;
  Wanted OutputOf(const std::string& layer, int output) const;
  // Adds to `*pieces` what layers that only hand values on have `piece` from.
  void AddOrigin(const Net::Source& piece, Pieces* pieces) const;

  const Net& net_;
  std::vector<std::vector<Pieces>> reads_;
};

}  // namespace singa
