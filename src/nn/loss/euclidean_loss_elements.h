// Device code for the threads of the kernels of nn/loss/euclidean_loss.h.
#pragma once

#include <cmath>
#include <cstdint>

#include "math/reduction/sum_block.h"

namespace singa {

struct DifferenceOf {
  float scale;
  SINGA_HD float operator()(float x, float t) const { return scale * (x - t); }
};

// Computes the terms of the sum of absolute differences, and of their number.
struct AbsoluteTerm {
  const float* x;
  const float* t;
  SINGA_HD Sums<2> operator()(int64_t i) const { return {std::abs(double{x[i]} - t[i]), 1}; }
};

// Computes one row by a warp or a block.
struct DistanceRow {
  const float* x;
  const float* t;
  float* distance;
  int64_t d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    double sum = 0;
    for (int64_t j = i * d + block.thread(); j < (i + 1) * d; j += block.threads()) {
      const double difference = double{x[j]} - t[j];
      sum += difference * difference;
    }
    sum = block.Sum(sum);
    if (block.thread() == 0) distance[i] = static_cast<float>(sum);
  }
};

}  // namespace singa
