// The simple recurrent unit: h = tanh(x W^T + h' U^T + b).
// Source: Elman, "Finding structure in time" (1990); equals torch.nn.RNN.
#pragma once

#include "nn/neuron/recurrent_cell.h"

namespace singa {

// The cell keeps h, which becomes the gradient of both products.
inline constinit CellStepKernel RnnStep{"RnnStep"};
inline constinit CellGradientKernel RnnStepGradient{"RnnStepGradient"};

template <typename Math>
[[gnu::always_inline]] SINGA_HD inline void RnnUnit(const CellStep& s, int64_t r, int64_t j) {
  const int64_t i = r * s.hidden + j;
  s.h[i] = s.kept[i] = Math::Tanh(s.kept[i] + s.from_state[i] + s.bias[j]);
}

template <typename Math>
[[gnu::always_inline]] SINGA_HD inline void RnnUnitGradient(const CellGradient& s, int64_t r,
                                                            int64_t j) {
  const int64_t i = r * s.hidden + j;
  s.kept[i] = (s.dy[i] + s.dh[i]) * (1 - s.kept[i] * s.kept[i]);
  s.dh[i] = 0;
}

}  // namespace singa
