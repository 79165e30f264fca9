// The formulas of math/elementwise/elementwise.h for one element.
#pragma once

#include <cmath>

#include "tensor/kernel/lanes.h"

namespace singa {

struct ReluOf {
  float slope;
  SINGA_HD float operator()(float x) const {
    const float below = slope == 0 ? 0 : slope * x;  // 0 times -infinity would be NaN
    return x < 0 ? below : x;
  }
};

struct ReluGradientOf {
  float slope;
  SINGA_HD float operator()(float y, float dy) const { return y > 0 ? dy : slope * dy; }
};

struct SigmoidOf {
  SINGA_HD float operator()(float x) const { return 1 / (1 + std::exp(-x)); }
};

struct SigmoidGradientOf {
  SINGA_HD float operator()(float y, float dy) const { return dy * y * (1 - y); }
};

struct TanhOf {
  float a, b;
  SINGA_HD float operator()(float x) const { return a * std::tanh(b * x); }
};

struct TanhGradientOf {
  float a, b;
  SINGA_HD float operator()(float y, float dy) const { return dy * (a * b - b / a * y * y); }
};

// The distribution function of N(0, 1). The complement keeps its precision far below 0.
SINGA_HD inline float NormalBelow(float x) {
  constexpr float kRootOfHalf = 0.70710678f;
  return 0.5f * std::erfc(-kRootOfHalf * x);
}

struct GeluOf {
  SINGA_HD float operator()(float x) const { return x * NormalBelow(x); }
};

// The value of a function and its derivative.
struct ValueAndSlope {
  float value, slope;
};

struct GeluWithSlopeOf {
  SINGA_HD ValueAndSlope operator()(float x) const {
    constexpr float kInverseRoot = 0.39894228f;  // 1 / sqrt(2 pi)
    const float below = NormalBelow(x), density = kInverseRoot * std::exp(-0.5f * x * x);
    return {x * below, below + x * density};
  }
};

struct GeluGradientOf {
  SINGA_HD float operator()(float x, float dy) const { return dy * GeluWithSlopeOf()(x).slope; }
};

struct SiluOf {
  SINGA_HD float operator()(float x) const { return x / (1 + std::exp(-x)); }
};

struct SiluWithSlopeOf {
  SINGA_HD ValueAndSlope operator()(float x) const {
    const float e = std::exp(-std::abs(x));  // at most 1, so nothing overflows
    const float large = 1 / (1 + e), small = e * large;
    const float s = x < 0 ? small : large, rest = x < 0 ? large : small;  // rest = 1 - s
    return {x * s, s * (1 + x * rest)};
  }
};

struct SiluGradientOf {
  SINGA_HD float operator()(float x, float dy) const { return dy * SiluWithSlopeOf()(x).slope; }
};

// Writes elements [N i, N i + N) of y and slope. F gives a ValueAndSlope; y may be x.
template <typename F, int N>
struct WithSlope {
  F f;
  const float* x;
  float* y;
  float* slope;

  SINGA_HD void operator()(int64_t i) const {
    const Lanes<float, N> in = LoadLanes<N>(x + i * N);
    Lanes<float, N> values, slopes;
    for (int k = 0; k < N; ++k) {
      const ValueAndSlope at = f(in[k]);
      values[k] = at.value;
      slopes[k] = at.slope;
    }
    StoreLanes(values, y + i * N);
    StoreLanes(slopes, slope + i * N);
  }
};

struct RampOf {
  float slope, shift, top;
  SINGA_HD float operator()(float x) const {
    const float line = slope * x + shift;
    const float below = line > top ? top : line;
    return line < 0 ? 0 : below;
  }
};

struct RampGradientOf {
  float slope, top;
  SINGA_HD float operator()(float y, float dy) const { return y > 0 && y < top ? slope * dy : 0; }
};

struct HardSwishOf {
  SINGA_HD float operator()(float x) const { return x * RampOf{1 / 6.f, 0.5f, 1}(x); }
};

struct HardSwishGradientOf {
  SINGA_HD float operator()(float x, float dy) const {
    const float within = dy * (x / 3 + 0.5f), above = x < 3 ? within : dy;
    return x <= -3 ? 0 : above;
  }
};

struct ProductOf {
  SINGA_HD float operator()(float x, float m) const { return x * m; }
};

struct SumOf {
  SINGA_HD float operator()(float x, float y) const { return y + x; }
};

}  // namespace singa
