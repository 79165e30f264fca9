// The gated recurrent unit with the reset gate after the product, as in SINGA 0.3 and cuDNN:
//   z = sigm(x Wz^T + h' Uz^T + bz)
//   r = sigm(x Wr^T + h' Ur^T + br)
//   c = tanh(x Wc^T + r (h' Uc^T) + bc)
//   h = z h' + (1 - z) c
// Source: Cho et al., arXiv:1406.1078; equals torch.nn.GRU with a bias b_hn of 0.
#pragma once

#include "nn/neuron/recurrent_cell.h"

namespace singa {

// The gates are z, r, c. The cell keeps c, z, r, u = h' Uc^T. These become the gradients of the
// products with x (the first three) and with h' (the last three).
inline constinit CellStepKernel GruStep{"GruStep"};
inline constinit CellGradientKernel GruStepGradient{"GruStepGradient"};

template <typename Math>
[[gnu::always_inline]] SINGA_HD inline void GruUnit(const CellStep& s, int64_t r, int64_t j) {
  const int64_t h = s.hidden;
  const float* from = s.from_state + r * 3 * h + j;
  float* kept = s.kept + r * 4 * h + j;
  const float z = Math::Sigmoid(kept[h] + from[0] + s.bias[j]);
  const float reset = Math::Sigmoid(kept[2 * h] + from[h] + s.bias[h + j]);
  const float u = from[2 * h];
  const float c = Math::Tanh(kept[0] + reset * u + s.bias[2 * h + j]);
  s.h[r * h + j] = z * s.h_before[r * h + j] + (1 - z) * c;
  kept[0] = c, kept[h] = z, kept[2 * h] = reset, kept[3 * h] = u;
}

template <typename Math>
[[gnu::always_inline]] SINGA_HD inline void GruUnitGradient(const CellGradient& s, int64_t r,
                                                            int64_t j) {
  const int64_t h = s.hidden;
  float* kept = s.kept + r * 4 * h + j;
  const float c = kept[0], z = kept[h], reset = kept[2 * h], u = kept[3 * h];
  const float g = s.dy[r * h + j] + s.dh[r * h + j];
  const float dc = g * (1 - z) * (1 - c * c);
  kept[0] = dc;
  kept[h] = g * (s.h_before[r * h + j] - c) * z * (1 - z);
  kept[2 * h] = dc * u * reset * (1 - reset);
  kept[3 * h] = dc * reset;
  s.dh[r * h + j] = g * z;
}

}  // namespace singa
