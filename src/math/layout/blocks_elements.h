// A device's thread does one number of all blocks, for math/layout/blocks.h.
#pragma once

#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

// Copies x's blocks to y's places, or adds them there.
template <bool kAdds>
struct MoveBlocksElement {
  const float* x;
  int64_t x_stride;
  float* y;
  int64_t y_stride, size;
  SINGA_HD void operator()(int64_t i) const {
    const float from = x[i / size * x_stride + i % size];
    float& to = y[i / size * y_stride + i % size];
    to = kAdds ? to + from : from;
  }
};
using CopyBlocksElement = MoveBlocksElement<false>;
using AddBlocksElement = MoveBlocksElement<true>;

struct ZeroBlocksElement {
  float* y;
  int64_t stride, size;
  SINGA_HD void operator()(int64_t i) const { y[i / size * stride + i % size] = 0; }
};

}  // namespace singa
