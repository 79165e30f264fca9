// RecurrentLayer: what kGRU, kLSTM and kRNN share, a cell run over time.
//   source 0: x, [b, v], or folded [T, b, v]; source 1, optional: the state before the first step,
//   [b, h]; a node of one step of several has its own outputs of the step before instead.
//   output: h, [b, h] or [T, b, h]; of kLSTM a second, c, that the layer's own next step alone
//   reads
// The products with x are one gemm a gate for all steps; those with the state one gemm a step, for
// which the gates' weights are packed side by side. Gradients likewise: one gemm a step for the
// state's, then one a weight over the rows of all steps.
//
// carry_state: the last state of a batch is the first of the next; no gradient goes that way. It
// begins as 0, and so it does again before a pass over a test set, and a row's where it is not
// finite.
#pragma once

#include <array>
#include <vector>

#include "nn/neuron/recurrent_cell.h"
#include "singa/nn/layer.h"

namespace singa {

// The facts of a cell of G gates that keeps K blocks of numbers.
struct Cell {
  const char* conf;             // field of LayerProto
  int gates;                    // G
  int kept;                     // K
  std::array<int, 4> of_input;  // the block with gate g's product of the input
  int of_state;                 // the first of the G blocks with the products' of the state
  bool has_c = false;           // a second state, c
  const CellStepKernel* step;
  const CellGradientKernel* gradient;
};

// Params, by gate in the order of the cell: weights of the input (h, v); of the state (h, h); and
// biases (h), if any.
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
  // A state before a step; null: zeros.
  struct State {
    const float *h = nullptr, *c = nullptr;
  };
  // Offsets in scratch of what a computation works in.
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
  // The blocks that hold, of all steps, the gate's products or their gradients.
  float* InputBlock(int gate) const { return kept_->data() + cell_.of_input[gate] * hidden_; }
  float* StateBlock(int gate) const { return kept_->data() + (cell_.of_state + gate) * hidden_; }
  Param* InputWeight(int gate) const { return params_[gate]; }
  Param* StateWeight(int gate) const { return params_[cell_.gates + gate]; }

  void TakeCarriedState(Context& ctx) const;
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
  // carry_state: what goes from batch to batch, and what this batch began with. c: null without.
  Tensor *carried_h_ = nullptr, *carried_c_ = nullptr;
  Tensor *first_h_ = nullptr, *first_c_ = nullptr;
  Places places_{};
};

}  // namespace singa
