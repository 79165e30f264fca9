// Computes each row of math/reduction/softmax.h by the threads of a block or of a warp.
#pragma once

#include <cmath>
#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

// Memory is read once and written once, since a row stays in the cache. exp is computed twice,
// which is cheaper than writing y twice.
struct SoftmaxRow {
  const float* x;
  float* y;
  int64_t d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const float* const from = x + i * d;
    float* const to = y + i * d;
    float largest = -INFINITY;
    for (int64_t j = block.thread(); j < d; j += block.threads())
      largest = from[j] > largest ? from[j] : largest;  // a NaN shows in the sum
    largest = block.Max(largest);
    double sum = 0;
    for (int64_t j = block.thread(); j < d; j += block.threads())
      sum += std::exp(from[j] - largest);
    const auto scale = static_cast<float>(1 / block.Sum(sum));
    for (int64_t j = block.thread(); j < d; j += block.threads())
      to[j] = std::exp(from[j] - largest) * scale;
  }
};

struct SoftmaxGradientRow {
  const float* y;
  const float* dy;
  float* dx;
  int64_t d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const float* const p = y + i * d;
    const float* const dp = dy + i * d;
    double sum = 0;
    for (int64_t j = block.thread(); j < d; j += block.threads()) sum += double{p[j]} * dp[j];
    const auto p_dp = static_cast<float>(block.Sum(sum));
    for (int64_t j = block.thread(); j < d; j += block.threads())
      dx[i * d + j] = p[j] * (dp[j] - p_dp);
  }
};

}  // namespace singa
