// Long short-term memory without peepholes:
//   i = sigm(x Wi^T + h' Ui^T + bi)     f = sigm(x Wf^T + h' Uf^T + bf)
//   g = tanh(x Wc^T + h' Uc^T + bc)     o = sigm(x Wo^T + h' Uo^T + bo)
//   c = f c' + i g                      h = o tanh(c)
// Source: Gers et al., "Learning to forget" (2000); equals torch.nn.LSTM.
#pragma once

#include "nn/neuron/recurrent_cell.h"

namespace singa {

// The gates are i, f, g, o. The cell keeps them, and they become the gradients of their products.
inline constinit CellStepKernel LstmStep{"LstmStep"};
inline constinit CellGradientKernel LstmStepGradient{"LstmStepGradient"};

template <typename Math>
[[gnu::always_inline]] SINGA_HD inline void LstmUnit(const CellStep& s, int64_t r, int64_t j) {
  const int64_t h = s.hidden;
  const float* from = s.from_state + r * 4 * h + j;
  float* kept = s.kept + r * 4 * h + j;
  const float i = Math::Sigmoid(kept[0] + from[0] + s.bias[j]);
  const float f = Math::Sigmoid(kept[h] + from[h] + s.bias[h + j]);
  const float g = Math::Tanh(kept[2 * h] + from[2 * h] + s.bias[2 * h + j]);
  const float o = Math::Sigmoid(kept[3 * h] + from[3 * h] + s.bias[3 * h + j]);
  const float c = f * s.c_before[r * h + j] + i * g;
  s.c[r * h + j] = c;
  s.h[r * h + j] = o * Math::Tanh(c);
  kept[0] = i, kept[h] = f, kept[2 * h] = g, kept[3 * h] = o;
}

template <typename Math>
[[gnu::always_inline]] SINGA_HD inline void LstmUnitGradient(const CellGradient& s, int64_t r,
                                                             int64_t j) {
  const int64_t h = s.hidden;
  float* kept = s.kept + r * 4 * h + j;
  const float i = kept[0], f = kept[h], g = kept[2 * h], o = kept[3 * h];
  const float tanh_c = Math::Tanh(s.c[r * h + j]);
  const float dh = s.dy[r * h + j] + s.dh[r * h + j];
  const float dc = s.dc[r * h + j] + dh * o * (1 - tanh_c * tanh_c);
  kept[0] = dc * g * i * (1 - i);
  kept[h] = dc * s.c_before[r * h + j] * f * (1 - f);
  kept[2 * h] = dc * i * (1 - g * g);
  kept[3 * h] = dh * tanh_c * o * (1 - o);
  s.dc[r * h + j] = dc * f;
  s.dh[r * h + j] = 0;
}

}  // namespace singa
