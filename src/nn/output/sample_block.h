// Device code that draws an index by its probability.
#pragma once

#include <cmath>
#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

// Returns (p / largest)^power. As p / largest <= 1, the power cannot overflow.
SINGA_HD inline double SampleWeight(float p, float largest, float power) {
  return p > 0 ? std::exp(power * std::log(double{p} / largest)) : 0;
}

// Draws the index of one row by a block. Each thread adds up the weights of some neighbouring
// indices. Then thread 0 finds the thread whose weights contain the drawn number, and the index.
struct DrawRow {
  static constexpr int kMostThreads = 1024;
  struct Weights {
    double of_thread[kMostThreads];
  };

  const float* p;
  const float* u;
  float power;
  float* index;
  int64_t d;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    Weights& weights = block.template Shared<Weights>();
    const float* const row = p + i * d;
    const int t = block.thread(), threads = block.threads();
    float largest = 0;
    for (int64_t j = t; j < d; j += threads) largest = row[j] > largest ? row[j] : largest;
    largest = block.Max(largest);
    double own = 0;
    for (int64_t j = Begin(t, threads); j < Begin(t + 1, threads); ++j)
      own += SampleWeight(row[j], largest, power);
    weights.of_thread[t] = own;
    block.Sync();
    if (t > 0) return;
    double sum = 0;
    for (int other = 0; other < threads; ++other) sum += weights.of_thread[other];
    index[i] = static_cast<float>(Find(row, largest, u[i] * sum, weights, threads));
  }

  SINGA_HD int64_t Begin(int thread, int threads) const { return d * thread / threads; }

  // Returns the first index at which the sum of weights exceeds `rest`. If rounding leaves none,
  // returns the last index that has a weight.
  SINGA_HD int64_t Find(const float* row, float largest, double rest, const Weights& weights,
                        int threads) const {
    int thread = 0;
    for (int t = 0; t < threads; ++t) {
      if (weights.of_thread[t] <= 0) continue;
      thread = t;
      if (rest < weights.of_thread[t]) break;
      rest -= weights.of_thread[t];
    }
    int64_t last = 0;
    for (int64_t j = Begin(thread, threads); j < Begin(thread + 1, threads); ++j) {
      const double weight = SampleWeight(row[j], largest, power);
      if (weight <= 0) continue;
      last = j;
      if ((rest -= weight) < 0) break;
    }
    return last;
  }
};

}  // namespace singa
