// UnitParam is a param with rows of one number for each unit of a feature. An image is stored as
// (h, w, c) and its params in logical order, (c, h, w). Kernels work on features as they are
// stored, so they get copies of such params in the stored order.
#pragma once

#include "math/elementwise/elementwise.h"
#include "nn/feature/flat_rows.h"
#include "singa/nn/declare.h"

namespace singa {

class UnitParam {
 public:
  UnitParam() = default;
  // Uses rows [first, first + rows) of `param`, [., units of a row of `feature`].
  UnitParam(Param* param, const Shape& feature, int64_t first = 0, int64_t rows = 1)
      : param_(param), order_(Rows(feature, rows)), first_(first * order_.row_size()) {}

  bool in_order() const { return order_.in_order(); }
  // Returns the bytes of each `room` below.
  int64_t room() const {
    return in_order() ? 0 : order_.rows() * order_.row_size() * static_cast<int64_t>(sizeof(float));
  }
  void DeclareUses(Declare* declare) const {
    if (!in_order()) declare->Uses(TransposeEach, AddTo);
  }

  // Returns the values in stored order: the param's own, or a copy in `room`.
  const float* Values(Context& ctx, float* room) const {
    const float* const own = param_->data.data() + first_;
    if (in_order()) return own;
    order_.ToStored(ctx, own, room);
    return room;
  }

  // Return where a kernel puts the gradient in stored order, and the factor of the number that is
  // there. Null: the gradient is not wanted. AddGradient completes the gradient.
  float* Gradient(float* room) const {
    if (param_->grad.empty()) return nullptr;
    return in_order() ? param_->grad.data() + first_ : room;
  }
  float beta() const { return in_order() ? param_->beta() : 0; }

  // Adds the kernel's gradient, in `room`, to the param's gradient by its beta(). `other` is
  // another room.
  void AddGradient(Context& ctx, const float* room, float* other) const {
    if (in_order() || param_->grad.empty()) return;
    float* const to = param_->grad.data() + first_;
    if (param_->beta() == 0) return order_.FromStored(ctx, room, to);
    order_.FromStored(ctx, room, other);
    AddTo(ctx, other, to, order_.rows() * order_.row_size());
  }

 private:
  static FlatRows Rows(const Shape& feature, int64_t rows) {
    Shape shape = feature;
    shape.Set(0, rows);
    return FlatRows(shape);
  }

  Param* param_ = nullptr;
  FlatRows order_;
  int64_t first_ = 0;  // index of the first number that is used
};

// Throws ConfigError("srclayers") unless the first source has rows of units.
inline void RequireUnits(const LayerProto& conf, const Port& in) {
  if (in.data.shape().dims() > 1) return;
  const std::string name = conf.srclayers_size() > 0 ? conf.srclayers(0) : "the first";
  throw ConfigError("srclayers",
                    StrCat("source \"", name, "\" must have rows of units, has the shape ",
                           in.data.shape().ToString(), ": indices go through a kEmbedding first"));
}

}  // namespace singa
