// NetReads gives the reads of a net's nodes, as pieces of other nodes' outputs, and the outputs of
// the model.
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

  // Returns the pieces of source `slot` of nodes()[i]. All steps of a text are its output 0.
  const Pieces& Of(int i, int slot) const { return reads_[i][slot]; }

  // Returns all outputs of the layer `name`. Throws Error if there is no such layer, or it is an
  // input layer.
  std::vector<Wanted> OutputsOf(const std::string& name) const;
  // Returns the scores that the net's one loss reads and, for a kSoftmaxLoss or
  // kSigmoidCrossEntropyLoss, the probabilities. Throws Error unless there is exactly one loss.
  std::vector<Wanted> OutputsOfLoss() const;

 private:
  const NetNode& node(int i) const { return net_.nodes()[i]; }
  // Returns the nodes of layer `name`, in the order of their steps.
  std::vector<int> NodesOf(const std::string& name) const;
  Wanted OutputOf(const std::string& layer, int output) const;
  // Adds the origin of `piece` to `*pieces`: looks through layers that only pass values on.
  void AddOrigin(const NetSource& piece, Pieces* pieces) const;

  const Net& net_;
  std::vector<std::vector<Pieces>> reads_;
};

}  // namespace singa
