// RecurrentLayer, the base class of kGRU, kLSTM and kRNN, runs a cell over time.
//   source 0: x, [b, v], or folded [T, b, v]; source 1, optional: the state before the first step,
//   [b, h]; a node of one step of several has its own outputs of the step before instead.
//   output: h, [b, h] or [T, b, h]; of kLSTM a second, c, that the layer's own next step alone
//   reads
// RecurrentSteps computes the steps.
//
// With carry_state the last state of a batch is the first state of the next batch; no gradient
// flows between batches. The state begins as 0. It becomes 0 again before a pass over a test set,
// and in rows where it is not finite.
#pragma once

#include <optional>

#include "nn/neuron/recurrent_steps.h"
#include "singa/nn/layer.h"

namespace singa {

// The params are, each by gate in the cell's order: weights of the input (h, v), weights of the
// state (h, h), and biases (h), if any.
class RecurrentLayer : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override;
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override;
  Traits traits() const override {
    return {.grad_reads_in = true, .grad_reads_out = true, .on_device = true};
  }
  Work work() const override;
  void Prepare(Context& ctx, Declare& declare, Inputs in, Outputs out) override;
  void BeginPass(Context& ctx, int64_t batches_before) override;
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override;
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override;

 protected:
  struct Settings {
    int64_t hidden;
    bool bias, carry_state;
  };
  explicit RecurrentLayer(const Cell& cell) : cell_(cell) {}

 private:
  virtual Settings settings(const LayerProto& conf) const = 0;

  void CheckSources(const LayerProto& conf, Declare& declare, Inputs in) const;
  void ReadShapes(const LayerProto& conf, Inputs in);
  void DeclareState(Declare& declare, const RowSpan& span, RecurrentSteps::Tensors* tensors);

  const Cell cell_;
  RecurrentSteps::Sizes sizes_;
  Tensor *carried_h_ = nullptr, *carried_c_ = nullptr;  // see RecurrentSteps::Tensors
  std::optional<RecurrentSteps> steps_;                 // none before Setup
};

}  // namespace singa
