// RecurrentLayer, the base class of kGRU, kLSTM and kRNN, runs a cell over time.
//   source 0: x, [b, v], or folded [T, b, v]; source 1, optional: the state before the first step,
//   [b, h]; a node of one step of several has its own outputs of the step before instead.
//   output: h, [b, h] or [T, b, h]; of kLSTM a second, c, that the layer's own next step alone
//   reads
// The products with x are one gemm per gate for all steps. The products with the state are one gemm
// per step, for which the gates' weights are packed side by side. The gradient of the state takes
// one gemm per step, and then the gradient of each weight one over the rows of all steps.
//
// With carry_state the last state of a batch is the first state of the next batch; no gradient
// flows between batches. The state begins as 0. It becomes 0 again before a pass over a test set,
// and in rows where it is not finite.
#pragma once

#include <array>
#include <vector>

#include "nn/neuron/recurrent_cell.h"
#include "singa/nn/layer.h"

namespace singa {

// Description of a cell of G gates that keeps K blocks of numbers.
struct Cell {
  const char* conf;             // field of LayerProto
  int gates;                    // G
  int kept;                     // K
  std::array<int, 4> of_input;  // [g]: the block with gate g's product with the input
  int of_state;  // first of the G blocks that become the gradients of the products with the state
  bool has_c = false;  // a second state, c
  const CellStepKernel* step;
  const CellGradientKernel* gradient;
};

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
  // The state before a step; null: zeros.
  struct State {
    const float *h = nullptr, *c = nullptr;
  };
  // Offsets of arrays in scratch.
  struct Places {
    int64_t zeros, bias, from_state, dh, dc, sums, packed, transposed;
  };

  virtual Settings settings(const LayerProto& conf) const = 0;

  void CheckSources(const LayerProto& conf, Declare& declare, Inputs in) const;
  void CheckParams(const LayerProto& conf) const;
  void ReadShapes(const LayerProto& conf, Inputs in);
  void DeclareState(Declare& declare, const RowSpan& span);

  int64_t state_size() const { return rows_ * hidden_; }
  int64_t kept_width() const { return cell_.kept * hidden_; }
  float* At(const Context& ctx, int64_t place) const {
    return reinterpret_cast<float*>(static_cast<char*>(ctx.scratch) + place);
  }
  // Return the block of a gate's products, or of their gradients, for all steps.
  float* InputBlock(int gate) const { return kept_->data() + cell_.of_input[gate] * hidden_; }
  float* StateBlock(int gate) const { return kept_->data() + (cell_.of_state + gate) * hidden_; }
  Param* InputWeight(int gate) const { return params_[gate]; }
  Param* StateWeight(int gate) const { return params_[cell_.gates + gate]; }

  void LoadCarriedState(Context& ctx) const;
  void KeepLastState(Context& ctx, Outputs out) const;
  State First(Inputs in) const;
  State Before(int64_t t, Inputs in, Outputs out) const;
  float* Zeros(Context& ctx) const;
  void PackBias(Context& ctx) const;
  void PackStateWeights(Context& ctx, bool transpose) const;
  void FromState(Context& ctx, const float* h, float* from_state) const;
  void ToState(Context& ctx, int64_t t, float* dh) const;
  void StepsBackward(Context& ctx, Inputs in, Outputs out) const;
  void InputGradient(Context& ctx, float* dx) const;
  void WeightGradients(Context& ctx, Inputs in, Outputs out) const;
  void BiasGradients(Context& ctx) const;
  float Beta(size_t param) const;

  const Cell cell_;
  int64_t steps_ = 1, rows_ = 0, inputs_ = 0, hidden_ = 0;  // T, b, v, h
  bool bias_ = false;
  std::vector<Param*> params_;
  Tensor* kept_ = nullptr;  // [T, b, K h]
  // For carry_state: the state for the next batch, and the first state of this batch. Null if not
  // used.
  Tensor *carried_h_ = nullptr, *carried_c_ = nullptr;
  Tensor *first_h_ = nullptr, *first_c_ = nullptr;
  Places places_{};
};

}  // namespace singa
