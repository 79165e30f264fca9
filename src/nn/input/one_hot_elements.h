// Device code for one thread of the kernel of nn/input/one_hot.h.
#pragma once

#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

// Computes element i of y.
struct OneHotElement {
  const float* index;
  float* y;
  int64_t d, first;
  SINGA_HD void operator()(int64_t i) const {
    const int64_t r = i / d;
    y[i] = static_cast<int64_t>(index[r]) - first == i - r * d ? 1 : 0;
  }
};

}  // namespace singa
