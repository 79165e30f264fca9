// Device code of kEltwise: the formula of a weighted sum for one element, and code of threads that
// compute N elements side by side. A thread reads its elements before it writes any. The sums over
// the pixels of a channel are the work of a block.
#pragma once

#include "nn/neuron/eltwise.h"
#include "tensor/kernel/lanes.h"

namespace singa {

struct WeightedSumOf {
  float a_factor, b_factor, floor;
  SINGA_HD float operator()(float a, float b) const {
    const float sum = a_factor * a + b_factor * b;
    return sum < floor ? floor : sum;
  }
};

template <int N>
struct SummandGradients {
  const float *y, *dy;  // y: null if the sum is not cut
  SummandGradient a, b;

  SINGA_HD void operator()(int64_t i) const {
    Lanes<float, N> g = LoadLanes<N>(dy + i * N);
    if (y) {
      const Lanes<float, N> sum = LoadLanes<N>(y + i * N);
      for (int k = 0; k < N; ++k) g[k] = sum[k] > 0 ? g[k] : 0;
    }
    Give(g, a, i);
    if (b.dx) Give(g, b, i);
  }

  SINGA_HD static void Give(Lanes<float, N> g, const SummandGradient& to, int64_t i) {
    for (int k = 0; k < N; ++k) g[k] *= to.factor;
    StoreLanes(g, to.dx + i * N);
  }
};

template <int N>
struct LargerOfTwo {
  const float *a, *b;
  uint8_t index;
  float* y;
  uint8_t* winner;

  SINGA_HD void operator()(int64_t i) const {
    Lanes<float, N> largest = LoadLanes<N>(a + i * N);
    const Lanes<float, N> x = LoadLanes<N>(b + i * N);
    Lanes<uint8_t, N> won = {};
    if (index > 1) won = LoadLanes<N>(winner + i * N);
    for (int k = 0; k < N; ++k)
      if (x[k] > largest[k] || x[k] != x[k]) largest[k] = x[k], won[k] = index;
    StoreLanes(largest, y + i * N);
    StoreLanes(won, winner + i * N);
  }
};

template <int N>
struct WinnerGradient {
  const uint8_t* winner;
  uint8_t index;
  const float* dy;
  float* dx;

  SINGA_HD void operator()(int64_t i) const {
    Lanes<float, N> g = LoadLanes<N>(dy + i * N);
    const Lanes<uint8_t, N> won = LoadLanes<N>(winner + i * N);
    for (int k = 0; k < N; ++k) g[k] = won[k] == index ? g[k] : 0;
    StoreLanes(g, dx + i * N);
  }
};

// Computes N channels of a pixel. REQUIRES: N divides c.
template <int N>
struct ScaledChannels {
  const float *x, *scale;
  float* y;
  int64_t pixels, c;

  SINGA_HD void operator()(int64_t i) const {
    const int64_t at = i * N, image = at / (pixels * c);
    Lanes<float, N> product = LoadLanes<N>(x + at);
    const Lanes<float, N> factor = LoadLanes<N>(scale + image * c + at % c);
    for (int k = 0; k < N; ++k) product[k] *= factor[k];
    StoreLanes(product, y + at);
  }
};

// A block computes the gradient of an image's kLanes channels. Each thread adds up some of the
// pixels of one channel, in float64. REQUIRES: the block has a multiple of kLanes threads, at most
// kMost.
struct ChannelProductsTile {
  static constexpr int kLanes = 32, kMost = 256;
  struct Values {
    double of[kMost];
  };

  const float *x, *dy;
  float* dscale;
  int64_t pixels, c;

  SINGA_HD int64_t across() const { return (c + kLanes - 1) / kLanes; }

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const int thread = block.thread();
    const int64_t image = i / across(), j = i % across() * kLanes + thread % kLanes;
    double sum = 0;
    for (int64_t p = thread / kLanes; j < c && p < pixels; p += block.threads() / kLanes) {
      const int64_t at = (image * pixels + p) * c + j;
      sum += double{x[at]} * dy[at];
    }
    double* const of = block.template Shared<Values>().of;
    of[thread] = sum;
    block.Sync();
    if (thread >= kLanes || j >= c) return;
    for (int other = thread + kLanes; other < block.threads(); other += kLanes) sum += of[other];
    dscale[image * c + j] = static_cast<float>(sum);
  }
};

}  // namespace singa
