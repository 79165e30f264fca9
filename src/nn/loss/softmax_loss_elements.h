// Device code for the threads of the kernels of nn/loss/softmax_loss.h.
#pragma once

#include <cfloat>
#include <cmath>

#include "math/reduction/sum_block.h"

namespace singa {

// Computes the terms of the cross-entropy and of the number of rows that count. There is one term
// for each row, or with smoothing one for each element of p.
struct EntropyTerm {
  const float* p;
  const int32_t* label;
  int64_t ignored, d;
  float smoothing;

  static SINGA_HD int64_t terms(int64_t n, int64_t d, float smoothing) {
    return smoothing > 0 ? n * d : n;
  }

  SINGA_HD Sums<2> operator()(int64_t i) const {
    return smoothing > 0 ? Element(i / d, i % d) : Row(i);
  }

  SINGA_HD Sums<2> Row(int64_t r) const {
    if (label[r] == ignored) return {};
    return {-(1. - smoothing) * Log(double{p[r * d + label[r]]}), 1};
  }

  // Each element has its share of `smoothing`; the label's element also has the rest.
  SINGA_HD Sums<2> Element(int64_t r, int64_t j) const {
    if (label[r] == ignored) return {};
    Sums<2> sums = j == label[r] ? Row(r) : Sums<2>{};
    sums[0] -= smoothing / static_cast<double>(d) * Log(p[r * d + j]);
    return sums;
  }

  template <typename T>
  static SINGA_HD T Log(T x) {
    return std::log(x < T{FLT_MIN} ? T{FLT_MIN} : x);  // NaN stays
  }
};

// Computes element i of dx.
struct SoftmaxLossGradient {
  const float* p;
  const int32_t* label;
  int64_t ignored;
  float* dx;
  int64_t d;
  float scale, uniform, own;  // own, uniform: the targets of the label and of the others

  SINGA_HD void operator()(int64_t i) const {
    const int64_t r = i / d;
    const float target = i - r * d == label[r] ? own : uniform;
    dx[i] = label[r] == ignored ? 0 : scale * (p[i] - target);
  }
};

}  // namespace singa
