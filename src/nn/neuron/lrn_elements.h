// Device code of local response normalisation.
#pragma once

#include <cmath>

#include "nn/neuron/lrn.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// Returns s^-beta, fast for the usual beta of 3/4.
SINGA_HD inline float LrnPower(float s, float beta) {
  if (beta != 0.75f) return std::pow(s, -beta);
  const float root = 1 / std::sqrt(s);
  return root * std::sqrt(root);
}

// The channels [begin, end) of a window around channel i of c.
struct LrnWindow {
  int64_t begin, end;
};
SINGA_HD inline LrnWindow LrnWindowOf(int64_t i, int64_t c, int64_t half) {
  return {i < half ? 0 : i - half, i + half + 1 < c ? i + half + 1 : c};
}

// Computes s and y of element i.
struct LrnElement {
  const float* x;
  float *y, *s;
  int64_t c, half;
  float knorm, rate, beta;  // rate: alpha / size

  SINGA_HD void operator()(int64_t i) const {
    const int64_t first = i / c * c;  // first element of the pixel
    const LrnWindow window = LrnWindowOf(i - first, c, half);
    float squares = 0;
    for (int64_t j = first + window.begin; j < first + window.end; ++j) squares += x[j] * x[j];
    s[i] = knorm + rate * squares;
    y[i] = x[i] * LrnPower(s[i], beta);
  }
};

// Returns the term of element i in a window's sum for the gradient.
SINGA_HD inline float LrnTerm(const float* x, const float* dy, const float* s, float beta,
                              int64_t i) {
  return dy[i] * x[i] * LrnPower(s[i], beta) / s[i];
}

// Computes dx of element i and all terms of its window.
struct LrnGradientElement {
  const float *x, *dy, *s;
  float* dx;
  int64_t c, half;
  float rate, beta;  // rate: 2 beta alpha / size

  SINGA_HD void operator()(int64_t i) const {
    const int64_t first = i / c * c;
    const LrnWindow window = LrnWindowOf(i - first, c, half);
    float sum = 0;
    for (int64_t j = first + window.begin; j < first + window.end; ++j)
      sum += LrnTerm(x, dy, s, beta, j);
    dx[i] = dy[i] * LrnPower(s[i], beta) - rate * x[i] * sum;
  }
};

// Computes dx of kLrnTile elements by a block, which computes each term once.
inline constexpr int64_t kLrnTile = 1024, kLrnMostHalf = 64;

struct LrnTerms {
  float of[kLrnTile + 2 * kLrnMostHalf];
};

struct LrnGradientTile {
  LrnGradientElement element;
  int64_t n;

  // REQUIRES: element.half <= kLrnMostHalf.
  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t tile) const {
    float* const terms = block.template Shared<LrnTerms>().of;
    const LrnGradientElement& e = element;
    const int64_t first = tile * kLrnTile - e.half;  // element of terms[0]
    const int64_t last = tile * kLrnTile + kLrnTile;
    const int64_t end = last < n ? last : n;
    for (int64_t i = first + block.thread(); i < end + e.half; i += block.threads())
      terms[i - first] = i < 0 || i >= n ? 0 : LrnTerm(e.x, e.dy, e.s, e.beta, i);
    block.Sync();
    for (int64_t i = first + e.half + block.thread(); i < end; i += block.threads()) {
      const int64_t pixel = i / e.c * e.c;
      const LrnWindow window = LrnWindowOf(i - pixel, e.c, e.half);
      float sum = 0;
      for (int64_t j = pixel + window.begin; j < pixel + window.end; ++j) sum += terms[j - first];
      e.dx[i] = e.dy[i] * LrnPower(e.s[i], e.beta) - e.rate * e.x[i] * sum;
    }
  }
};

}  // namespace singa
