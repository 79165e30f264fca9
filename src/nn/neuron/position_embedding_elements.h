// Device code for the threads of the kernels of nn/neuron/position_embedding.h.
#pragma once

#include "nn/neuron/position_embedding.h"
#include "tensor/kernel/lanes.h"

namespace singa {

// Computes elements [N i, N i + N) of y. REQUIRES: d is a multiple of N; AlignedTo<N> of all
// pointers.
template <int N>
struct AddPosition {
  const float *x, *table;
  float* y;
  int64_t rows, d;

  SINGA_HD void operator()(int64_t i) const {
    const int64_t row = i * N / d, j = i * N - row * d;
    Lanes<float, N> value = LoadLanes<N>(x + i * N);
    const Lanes<float, N> more = LoadLanes<N>(table + row / rows * d + j);
    for (int k = 0; k < N; ++k) value[k] += more[k];
    StoreLanes(value, y + i * N);
  }
};

// Computes element i of dtable. The threads of a step read its rows side by side.
struct PositionGradient {
  const float* dy;
  float beta;
  float* dtable;
  int64_t rows, d;

  SINGA_HD void operator()(int64_t i) const {
    const int64_t t = i / d;
    const float* of_row = dy + t * rows * d + (i - t * d);
    float sum = beta == 0 ? 0 : dtable[i];
    for (int64_t r = 0; r < rows; ++r, of_row += d) sum += *of_row;
    dtable[i] = sum;
  }
};

}  // namespace singa
