// Device code for one thread of the kernels of nn/input/image_preprocess.h. The plain kernel also
// draws its cuts by CutOf.
#pragma once

#include "nn/input/image_preprocess.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// Returns the cut of row `row` of the whole batch, from blocks 3 row to 3 row + 2 of the stream.
SINGA_HD inline Cut CutOf(const CutRules& rules, const Philox& random, int64_t row) {
  const int64_t room_y = rules.from_height - rules.height;
  const int64_t room_x = rules.from_width - rules.width;
  if (!rules.random) return {static_cast<int32_t>(room_y / 2), static_cast<int32_t>(room_x / 2), 0};
  const auto y = static_cast<int64_t>(random.Below(3 * row, room_y + 2 * rules.pad + 1));
  const auto x = static_cast<int64_t>(random.Below(3 * row + 1, room_x + 2 * rules.pad + 1));
  const bool mirror = rules.mirror && random.Below(3 * row + 2, 2) == 1;
  return {static_cast<int32_t>(y - rules.pad), static_cast<int32_t>(x - rules.pad), mirror};
}

struct DrawCut {
  Philox stream;
  const StepState* state;  // not null: replaces the step of the stream
  RowSpan span;
  CutRules rules;
  Cut* cuts;

  SINGA_HD void operator()(int64_t r) const {
    cuts[r] = CutOf(rules, InStep(stream, state), span.GlobalRow(r));
  }
};

// Computes element i of y.
struct CutElement {
  const float* x;
  ImageShape from, to;  // to: shape of an image of y
  const float* mean;    // may be null
  const Cut* cuts;
  float scale;
  float* y;

  SINGA_HD void operator()(int64_t i) const {
    const ImagePosition p = PositionOf(to, i);
    const Cut cut = cuts[p.n];
    const int64_t row = cut.y + p.y, column = cut.x + (cut.mirror ? to.w - 1 - p.x : p.x);
    if (row < 0 || row >= from.h || column < 0 || column >= from.w) {
      y[i] = 0;
      return;
    }
    const int64_t at = (row * from.w + column) * from.c + p.c;
    const float value = x[p.n * from.pixels() * from.c + at];
    y[i] = mean ? scale * (value - mean[at]) : scale * value;
  }
};

}  // namespace singa
