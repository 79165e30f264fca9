// Device code of batch normalisation for N channels of a row.
#pragma once

#include "nn/neuron/batch_norm.h"
#include "tensor/kernel/lanes.h"

namespace singa {

SINGA_HD inline float BatchValue(const BatchFunction& f, float x, int64_t j) {
  const float value = f.scale[j] * x + f.shift[j];
  return value < f.floor ? f.floor : value;  // NaN stays
}

// Returns the gradient through the floor: dy, or 0 at the floor.
SINGA_HD inline float BatchAboveFloor(const BatchFunction& f, float x, float dy, int64_t j) {
  return f.scale[j] * x + f.shift[j] <= f.floor ? 0 : dy;
}

template <int N>
struct BatchApplyElement {
  const float* x;
  BatchFunction f;
  float* y;
  int64_t c;

  SINGA_HD void operator()(int64_t i) const {
    const int64_t j = i * N % c;
    Lanes<float, N> value = LoadLanes<N>(x + i * N);
    for (int k = 0; k < N; ++k) value[k] = BatchValue(f, value[k], j + k);
    StoreLanes(value, y + i * N);
  }
};

template <int N>
struct BatchGradientElement {
  const float* x;
  BatchFunction f;
  const float *dy, *of_g, *of_x, *shift;
  float* dx;
  int64_t c;

  SINGA_HD void operator()(int64_t i) const {
    const int64_t j = i * N % c;
    const Lanes<float, N> at = LoadLanes<N>(x + i * N);
    Lanes<float, N> g = LoadLanes<N>(dy + i * N);
    for (int k = 0; k < N; ++k)
      g[k] =
          of_g[j + k] * BatchAboveFloor(f, at[k], g[k], j + k) + of_x[j + k] * at[k] + shift[j + k];
    StoreLanes(g, dx + i * N);
  }
};

}  // namespace singa
