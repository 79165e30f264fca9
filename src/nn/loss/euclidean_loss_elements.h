// Device code for the threads of the kernels of nn/loss/euclidean_loss.h.
#pragma once

#include <cmath>
#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

struct DifferenceOf {
  float scale;
  SINGA_HD float operator()(float x, float t) const { return scale * (x - t); }
};

// Computes one row by a warp or a block.
struct DistanceRow {
  const float* x;
  const float* t;
  float* distance;
  float* absolute;  // may be null
  int64_t d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    double squares = 0, sum = 0;
    for (int64_t j = i * d + block.thread(); j < (i + 1) * d; j += block.threads()) {
      const double difference = double{x[j]} - t[j];
      squares += difference * difference;
      sum += std::abs(difference);
    }
    squares = block.Sum(squares);
    if (absolute) sum = block.Sum(sum);
    if (block.thread() != 0) return;
    distance[i] = static_cast<float>(squares);
    if (absolute) absolute[i] = static_cast<float>(sum);
  }
};

}  // namespace singa
