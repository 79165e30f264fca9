// Projection is a product of kAttention: y = x w^T + b for n rows x of v numbers; w: [h, v]; b: [h]
// or none.
#pragma once

#include "math/gemm/gemm_kernel.h"
#include "math/layout/blocks.h"
#include "nn/neuron/inner_product.h"
#include "singa/math/gemm.h"
#include "singa/nn/declare.h"

namespace singa {

// HeadRows are the rows of a param that a projection uses: all rows that the worker has, or those
// of its heads. A param for heads has d rows for all queries, d for all keys and d for all values.
// The rows of some heads are three runs of its memory, so kernels get copies of them.
class HeadRows {
 public:
  HeadRows() = default;
  explicit HeadRows(Param* param) : param_(param) {}
  // Uses the rows of units `own` of each third.
  HeadRows(Param* param, const UnitSpan& own) : param_(param), own_(own) {}

  bool is_there() const { return param_ != nullptr; }
  bool in_place() const { return own_.count == own_.all; }
  int64_t rows() const { return in_place() ? param_->shape()[0] : 3 * own_.count; }
  int64_t columns() const { return param_->data.row_size(); }
  // Returns the numbers of each `room` below.
  int64_t room() const { return is_there() && !in_place() ? rows() * columns() : 0; }

  // Returns the values: the param's own, or a copy in `room`.
  const float* Values(Context& ctx, float* room) const {
    const float* const whole = param_->data.data();
    if (in_place()) return whole;
    CopyBlocks(ctx, whole + begin(), stride(), room, run(), 3, run());
    return room;
  }

  // Return where a kernel puts the gradient, and the factor of the number that is there. Null: the
  // gradient is not wanted. AddGradient completes the gradient.
  float* Gradient(float* room) const {
    if (!is_there() || param_->grad.empty()) return nullptr;
    return in_place() ? param_->grad.data() : room;
  }
  float beta() const { return in_place() ? param_->beta() : 0; }

  // Adds the kernel's gradient, in `room`, to the param's gradient by its beta(). The rows of other
  // heads get no gradient of this worker.
  void AddGradient(Context& ctx, const float* room) const {
    if (in_place()) return;
    float* const whole = param_->grad.data();
    if (param_->beta() == 0) ZeroBlocks(ctx, whole, 0, 1, param_->size());
    AddBlocks(ctx, room, run(), whole + begin(), stride(), 3, run());
  }

 private:
  int64_t begin() const { return own_.first * columns(); }
  int64_t stride() const { return own_.all * columns(); }
  int64_t run() const { return own_.count * columns(); }

  Param* param_ = nullptr;
  UnitSpan own_ = {};
};

class Projection {
 public:
  Projection() = default;
  Projection(const HeadRows& w, const HeadRows& b) : w_(w), b_(b) {}

  int64_t outputs() const { return w_.rows(); }
  int64_t inputs() const { return w_.columns(); }
  // Returns the numbers of each `room` below.
  int64_t room() const { return w_.room() + b_.room(); }
  void DeclareUses(Declare* declare) const {
    declare->Uses(InnerProductFeature, GemmKernel);
    if (b_.is_there()) declare->Uses(AddBias, SumBiasGradient);
    if (!w_.in_place()) declare->Uses(CopyBlocks, ZeroBlocks, AddBlocks);
  }

  // scratch: [n, h].
  void Forward(Context& ctx, const float* x, float* y, int64_t n, float* scratch,
               float* room) const {
    const float* const b = b_.is_there() ? b_.Values(ctx, room + w_.room()) : nullptr;
    InnerProductFeature(ctx, x, Transposed(w_.Values(ctx, room), inputs()), b, y, n, outputs(),
                        inputs(), scratch);
  }
  void InputGradient(Context& ctx, const float* dy, float* dx, int64_t n, float* room) const {
    Gemm(ctx, n, inputs(), outputs(), 1, {dy, outputs()}, {w_.Values(ctx, room), inputs()}, 0, dx,
         inputs());
  }
  void ParamGradients(Context& ctx, const float* x, const float* dy, int64_t n, float* room) const {
    if (float* const db = b_.Gradient(room)) {
      SumBiasGradient(ctx, dy, b_.beta(), db, n, outputs());
      b_.AddGradient(ctx, db);
    }
    if (float* const dw = w_.Gradient(room)) {
      Gemm(ctx, outputs(), inputs(), n, 1, Transposed(dy, outputs()), {x, inputs()}, w_.beta(), dw,
           inputs());
      w_.AddGradient(ctx, dw);
    }
  }

 private:
  HeadRows w_, b_;
};

}  // namespace singa
