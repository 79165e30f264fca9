// FlatRows gives a feature as one row of numbers for each record, in logical order. If (c, h, w) is
// stored as (h, w, c), this takes a copy.
#pragma once

#include "math/layout/transpose.h"
#include "singa/nn/declare.h"
#include "singa/tensor/shape.h"

namespace singa {

class FlatRows {
 public:
  FlatRows() = default;
  explicit FlatRows(const Shape& feature) : rows_(feature[0]), size_(feature.size(1)) {
    if (feature.dims() == 4) channels_ = feature[1];
  }

  int64_t rows() const { return rows_; }
  int64_t row_size() const { return size_; }
  // Returns whether the stored order is the logical order.
  bool in_order() const { return channels_ == 1 || channels_ == size_; }

  // Declares the kernel that copies, and scratch for one copy, if the order differs.
  void DeclareCopy(Declare* declare) const {
    if (in_order()) return;
    declare->Uses(TransposeEach);
    declare->Scratch(rows_ * size_ * static_cast<int64_t>(sizeof(float)));
  }

  // Copies a stored feature to rows in logical order. REQUIRES: !in_order(), and no overlap.
  void FromStored(Context& ctx, const float* stored, float* flat) const {
    TransposeEach(ctx, stored, flat, rows_, size_ / channels_, channels_);
  }
  // Returns the rows of a stored feature: `stored` itself, or a copy in `room` if the order
  // differs.
  const float* InOrder(Context& ctx, const float* stored, void* room) const {
    if (in_order()) return stored;
    FromStored(ctx, stored, static_cast<float*>(room));
    return static_cast<const float*>(room);
  }
  void ToStored(Context& ctx, const float* flat, float* stored) const {
    TransposeEach(ctx, flat, stored, rows_, channels_, size_ / channels_);
  }

 private:
  int64_t rows_ = 0, size_ = 0, channels_ = 1;
};

}  // namespace singa
