// RecurrentSteps runs a cell over the time steps of a batch, forward and backward.
//   x: [T, b, v]; h and, of kLSTM, c: [T, b, h]; the state before the first step: [b, h]
// The products with x are one gemm per gate for all steps. The products with the state are one gemm
// per step, for which the gates' weights are packed side by side. The gradient of the state takes
// one gemm per step, and then the gradient of each weight one over the rows of all steps.
#pragma once

#include <array>
#include <vector>

#include "nn/neuron/recurrent_cell.h"
#include "singa/nn/param.h"
#include "singa/nn/port.h"
#include "singa/tensor/context.h"

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

class RecurrentSteps {
 public:
  struct Sizes {
    int64_t steps = 1, rows = 0, inputs = 0, hidden = 0;  // T, b, v, h
  };
  struct Tensors {
    // By gate in the cell's order: weights of the input (h, v), weights of the state (h, h), and
    // biases (h), if any.
    std::vector<Param*> params;
    Tensor* kept = nullptr;  // [T, b, K h]
    // With carry_state: the state for the next batch, and the first state of this batch; else null.
    // c only for a cell that has it.
    Tensor *carried_h = nullptr, *carried_c = nullptr;
    Tensor *first_h = nullptr, *first_c = nullptr;
  };

  RecurrentSteps(const Cell& cell, const Sizes& sizes, const Tensors& tensors);

  // Returns the bytes of Context::scratch that both passes need.
  int64_t scratch_bytes() const { return scratch_bytes_; }

  void Forward(Context& ctx, Inputs in, Outputs out) const;
  // REQUIRES: Forward was called for this batch.
  void Backward(Context& ctx, Inputs in, Outputs out) const;

 private:
  // The state before a step; null: zeros.
  struct State {
    const float *h = nullptr, *c = nullptr;
  };
  // Offsets of arrays in scratch.
  struct Places {
    int64_t zeros, bias, from_state, dh, dc, sums, packed, transposed;
  };

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
  bool HasFewRows(const Context& ctx) const;
  const float* StateWeights(Context& ctx, bool transposed) const;
  void FromState(Context& ctx, const float* weights, const float* h, float* from_state) const;
  void ToState(Context& ctx, const float* weights, int64_t t, float* dh) const;
  void StepsBackward(Context& ctx, Inputs in, Outputs out) const;
  void InputGradient(Context& ctx, float* dx) const;
  void WeightGradients(Context& ctx, Inputs in, Outputs out) const;
  void BiasGradients(Context& ctx) const;
  float Beta(size_t param) const;

  const Cell cell_;
  const int64_t steps_, rows_, inputs_, hidden_;  // T, b, v, h
  const std::vector<Param*> params_;
  const bool bias_;
  Tensor* const kept_;
  Tensor *const carried_h_, *const carried_c_;
  Tensor *const first_h_, *const first_c_;
  Places places_{};
  int64_t scratch_bytes_ = 0;
  mutable const float* constant_ = nullptr;  // StateWeights with Context::constant, once computed
};

}  // namespace singa
