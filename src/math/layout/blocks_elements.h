// A device's thread does one number of all blocks, for math/layout/blocks.h.
#pragma once

#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

struct CopyBlocksElement {
  const float* x;
  int64_t x_stride;
  float* y;
  int64_t y_stride, size;
  SINGA_HD void operator()(int64_t i) const {
    const int64_t block = i / size, j = i % size;
    y[block * y_stride + j] = x[block * x_stride + j];
  }
};

struct AddBlocksElement {
  const float* x;
  int64_t x_stride;
  float* y;
  int64_t y_stride, size;
  SINGA_HD void operator()(int64_t i) const {
    const int64_t block = i / size, j = i % size;
    y[block * y_stride + j] += x[block * x_stride + j];
  }
};

struct ZeroBlocksElement {
  float* y;
  int64_t stride, size;
  SINGA_HD void operator()(int64_t i) const { y[i / size * stride + i % size] = 0; }
};

}  // namespace singa
