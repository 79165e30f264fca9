#include "nn/neuron/recurrent_steps.h"

#include "math/elementwise/elementwise.h"
#include "math/layout/transpose.h"
#include "math/scratch_layout.h"
#include "nn/neuron/carry_state.h"
#include "nn/neuron/few_rows.h"
#include "nn/neuron/inner_product.h"
#include "singa/math/gemm.h"
#include "singa/tensor/memory.h"
#include "tensor/constant_tensors.h"

namespace singa {

RecurrentSteps::RecurrentSteps(const Cell& cell, const Sizes& sizes, const Tensors& tensors)
    : cell_(cell),
      steps_(sizes.steps),
      rows_(sizes.rows),
      inputs_(sizes.inputs),
      hidden_(sizes.hidden),
      params_(tensors.params),
      bias_(static_cast<int>(params_.size()) > 2 * cell_.gates),
      kept_(tensors.kept),
      carried_h_(tensors.carried_h),
      carried_c_(tensors.carried_c),
      first_h_(tensors.first_h),
      first_c_(tensors.first_c) {
  constexpr int64_t kFloat = sizeof(float);
  const int64_t all = cell_.gates * hidden_;
  ScratchLayout scratch;
  places_.zeros = scratch.Add(state_size() * kFloat);
  places_.dh = scratch.Add(state_size() * kFloat);
  places_.dc = scratch.Add(cell_.has_c ? state_size() * kFloat : 0);
  places_.bias = scratch.Add(all * kFloat);
  places_.sums = scratch.Add(kept_width() * kFloat);
  places_.from_state = scratch.Add(rows_ * all * kFloat);
  places_.packed = scratch.Add(steps_ > 1 ? all * hidden_ * kFloat : 0);
  places_.transposed = scratch.Add(steps_ > 1 ? all * hidden_ * kFloat : 0);
  scratch_bytes_ = scratch.bytes();
}

void RecurrentSteps::Forward(Context& ctx, Inputs in, Outputs out) const {
  LoadCarriedState(ctx);
  for (int g = 0; g < cell_.gates; ++g)
    Gemm(ctx, steps_ * rows_, hidden_, inputs_, 1, {in[0]->data.data(), inputs_},
         Transposed(InputWeight(g)->data.data(), inputs_), 0, InputBlock(g), kept_width());
  PackBias(ctx);
  const float* const weights = StateWeights(ctx, !HasFewRows(ctx));
  float* const from_state = At(ctx, places_.from_state);
  const float* const zeros = Zeros(ctx);
  for (int64_t t = 0; t < steps_; ++t) {
    const State before = Before(t, in, out);
    FromState(ctx, weights, before.h, from_state);
    (*cell_.step)(ctx, {.rows = rows_,
                        .hidden = hidden_,
                        .from_state = from_state,
                        .bias = At(ctx, places_.bias),
                        .kept = kept_->data() + t * rows_ * kept_width(),
                        .h_before = before.h ? before.h : zeros,
                        .c_before = before.c ? before.c : zeros,
                        .h = out[0]->data.data() + t * state_size(),
                        .c = cell_.has_c ? out[1]->data.data() + t * state_size() : nullptr});
  }
  KeepLastState(ctx, out);
}

void RecurrentSteps::Backward(Context& ctx, Inputs in, Outputs out) const {
  StepsBackward(ctx, in, out);
  if (!in[0]->grad.empty()) InputGradient(ctx, in[0]->grad.data());
  WeightGradients(ctx, in, out);
  if (bias_) BiasGradients(ctx);
}

// Copies the batch's first state, as the gradient reads it after KeepLastState has overwritten the
// carried state.
void RecurrentSteps::LoadCarriedState(Context& ctx) const {
  if (first_h_) CopyFloats(ctx, carried_h_->data(), first_h_->data(), state_size());
  if (first_c_) CopyFloats(ctx, carried_c_->data(), first_c_->data(), state_size());
}

// Carries the last state on. A row that is not finite begins with zeros again, as it would never
// become finite. Other rows, and so other workers, are not affected.
void RecurrentSteps::KeepLastState(Context& ctx, Outputs out) const {
  if (!carried_h_) return;
  const int64_t last = (steps_ - 1) * state_size();
  CarryState(ctx, out[0]->data.data() + last, carried_c_ ? out[1]->data.data() + last : nullptr,
             carried_h_->data(), carried_c_ ? carried_c_->data() : nullptr, rows_, hidden_);
}

RecurrentSteps::State RecurrentSteps::First(Inputs in) const {
  State first;
  if (in.size() > 1) first.h = in[1]->data.data();
  if (in.size() > 2) first.c = in[2]->data.data();
  if (first_h_) first.h = first_h_->data();
  if (first_c_) first.c = first_c_->data();
  return first;
}

RecurrentSteps::State RecurrentSteps::Before(int64_t t, Inputs in, Outputs out) const {
  if (t == 0) return First(in);
  const int64_t offset = (t - 1) * state_size();
  return {out[0]->data.data() + offset, cell_.has_c ? out[1]->data.data() + offset : nullptr};
}

float* RecurrentSteps::Zeros(Context& ctx) const {
  float* const zeros = At(ctx, places_.zeros);
  ZeroFloats(ctx, zeros, state_size());
  return zeros;
}

void RecurrentSteps::PackBias(Context& ctx) const {
  float* const bias = At(ctx, places_.bias);
  if (!bias_) ZeroFloats(ctx, bias, cell_.gates * hidden_);
  for (int g = 0; bias_ && g < cell_.gates; ++g)
    CopyFloats(ctx, params_[2 * cell_.gates + g]->data.data(), bias + g * hidden_, hidden_);
}

// Returns whether the products of a step read the weights where they lie, without a copy in the
// format of Gemm. They do not in training: a worker with few rows would round in another way than
// one with many.
bool RecurrentSteps::HasFewRows(const Context& ctx) const {
  return ctx.constant && rows_ <= kFewRows;
}

// Returns the weights of the state of all gates: [G h, h], one gate below the other; transposed:
// [h, G h]. A single step reads the params directly, as a copy would take longer, and gets null.
const float* RecurrentSteps::StateWeights(Context& ctx, bool transposed) const {
  if (steps_ == 1) return nullptr;
  const int64_t size = hidden_ * hidden_, all = cell_.gates * hidden_;
  const auto pack = [&](float* rows) {
    for (int g = 0; g < cell_.gates; ++g)
      CopyFloats(ctx, StateWeight(g)->data.data(), rows + g * size, size);
    return rows;
  };
  float* const packed = At(ctx, places_.packed);
  if (ctx.constant && !ctx.stream) {
    if (constant_) return constant_;
    std::string form = transposed ? "transposed" : "packed";
    for (int g = 0; g < cell_.gates; ++g)
      form += StrCat(" ", static_cast<const void*>(StateWeight(g)->data.data()));
    const auto make = [&] {
      Tensor made = Tensor::Allocate({all * hidden_});
      if (transposed)
        TransposeEach(ctx, pack(packed), made.data(), 1, all, hidden_);
      else
        pack(made.data());
      return made;
    };
    return constant_ = ctx.constant->Get(StateWeight(0)->data.data(), form, make).data();
  }
  pack(packed);
  if (!transposed) return packed;
  float* const to = At(ctx, places_.transposed);
  TransposeEach(ctx, packed, to, 1, all, hidden_);
  return to;
}

// Computes from_state: [b, G h] = h U^T of every gate; h: [b, h]. `weights`: StateWeights().
void RecurrentSteps::FromState(Context& ctx, const float* weights, const float* h,
                               float* from_state) const {
  const int64_t all = cell_.gates * hidden_;
  if (!h) return ZeroFloats(ctx, from_state, rows_ * all);
  if (steps_ > 1) {
    if (HasFewRows(ctx))
      return InnerProductFeature(ctx, h, Transposed(weights, hidden_), nullptr, from_state, rows_,
                                 all, hidden_, nullptr);
    return Gemm(ctx, rows_, all, hidden_, 1, {h, hidden_}, {weights, all}, 0, from_state, all);
  }
  for (int g = 0; g < cell_.gates; ++g) {
    const GemmOperand of_gate = Transposed(StateWeight(g)->data.data(), hidden_);
    if (rows_ == 1 && HasFewRows(ctx))
      InnerProductFeature(ctx, h, of_gate, nullptr, from_state + g * hidden_, 1, hidden_, hidden_,
                          nullptr);
    else
      Gemm(ctx, rows_, hidden_, hidden_, 1, {h, hidden_}, of_gate, 0, from_state + g * hidden_,
           all);
  }
}

// Adds to dh, [b, h], the gradients of step t's products with the state, times U of every gate.
void RecurrentSteps::ToState(Context& ctx, const float* weights, int64_t t, float* dh) const {
  const int64_t row = t * rows_ * kept_width();
  if (steps_ > 1)
    return Gemm(ctx, rows_, hidden_, cell_.gates * hidden_, 1, {StateBlock(0) + row, kept_width()},
                {weights, hidden_}, 1, dh, hidden_);
  for (int g = 0; g < cell_.gates; ++g)
    Gemm(ctx, rows_, hidden_, hidden_, 1, {StateBlock(g) + row, kept_width()},
         {StateWeight(g)->data.data(), hidden_}, 1, dh, hidden_);
}

// Goes back from the last step to the first. Computes the gradients of all products, in kept_, and
// those of the state before the first step.
void RecurrentSteps::StepsBackward(Context& ctx, Inputs in, Outputs out) const {
  const float* const weights = StateWeights(ctx, false);
  const float* const zeros = Zeros(ctx);
  float *const dh = At(ctx, places_.dh), *const dc = At(ctx, places_.dc);
  ZeroFloats(ctx, dh, state_size());
  if (cell_.has_c) ZeroFloats(ctx, dc, state_size());
  const bool wants_first = in.size() > 1 && !in[1]->grad.empty();
  for (int64_t t = steps_; t-- > 0;) {
    const State before = Before(t, in, out);
    if (cell_.has_c && !out[1]->grad.empty())  // the step after is a node of its own
      AddTo(ctx, out[1]->grad.data() + t * state_size(), dc, state_size());
    (*cell_.gradient)(ctx, {.rows = rows_,
                            .hidden = hidden_,
                            .kept = kept_->data() + t * rows_ * kept_width(),
                            .h_before = before.h ? before.h : zeros,
                            .c_before = before.c ? before.c : zeros,
                            .c = cell_.has_c ? out[1]->data.data() + t * state_size() : nullptr,
                            .dy = out[0]->grad.data() + t * state_size(),
                            .dh = dh,
                            .dc = dc});
    if (t > 0 || wants_first) ToState(ctx, weights, t, dh);
  }
  if (wants_first) CopyFloats(ctx, dh, in[1]->grad.data(), state_size());
  if (in.size() > 2 && !in[2]->grad.empty()) CopyFloats(ctx, dc, in[2]->grad.data(), state_size());
}

void RecurrentSteps::InputGradient(Context& ctx, float* dx) const {
  for (int g = 0; g < cell_.gates; ++g)
    Gemm(ctx, steps_ * rows_, inputs_, hidden_, 1, {InputBlock(g), kept_width()},
         {InputWeight(g)->data.data(), inputs_}, g == 0 ? 0 : 1, dx, inputs_);
}

// The state before a row is the row of h one step back. The first step has its own product, with
// the first state.
void RecurrentSteps::WeightGradients(Context& ctx, Inputs in, Outputs out) const {
  const int64_t rows = steps_ * rows_, width = kept_width();
  for (int g = 0; g < cell_.gates; ++g) {
    Param* const weight = InputWeight(g);
    if (weight->grad.empty()) continue;
    Gemm(ctx, hidden_, inputs_, rows, 1, Transposed(InputBlock(g), width),
         {in[0]->data.data(), inputs_}, Beta(g), weight->grad.data(), inputs_);
  }
  const float* const first = First(in).h;
  for (int g = 0; g < cell_.gates; ++g) {
    Param* const weight = StateWeight(g);
    if (weight->grad.empty()) continue;
    Gemm(ctx, hidden_, hidden_, rows - rows_, 1, Transposed(StateBlock(g) + rows_ * width, width),
         {out[0]->data.data(), hidden_}, Beta(cell_.gates + g), weight->grad.data(), hidden_);
    if (first)
      Gemm(ctx, hidden_, hidden_, rows_, 1, Transposed(StateBlock(g), width), {first, hidden_}, 1,
           weight->grad.data(), hidden_);
  }
}

void RecurrentSteps::BiasGradients(Context& ctx) const {
  float* const sums = At(ctx, places_.sums);
  SumBiasGradient(ctx, kept_->data(), 0, sums, steps_ * rows_, kept_width());
  for (int g = 0; g < cell_.gates; ++g) {
    const size_t i = 2 * cell_.gates + g;
    if (params_[i]->grad.empty()) continue;
    float* const grad = params_[i]->grad.data();
    const float* const sum = sums + cell_.of_input[g] * hidden_;
    if (Beta(i) == 0)
      CopyFloats(ctx, sum, grad, hidden_);
    else
      AddTo(ctx, sum, grad, hidden_);
  }
}

// Returns 1 if an earlier gate has added to the same param, as gates may share a weight.
float RecurrentSteps::Beta(size_t param) const {
  for (size_t i = 0; i < param; ++i)
    if (params_[i] == params_[param]) return 1;
  return params_[param]->beta();
}

}  // namespace singa
