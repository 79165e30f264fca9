// The formulas of math/elementwise/elementwise.h for one element.
#pragma once

#include <cmath>

#include "tensor/kernel/host_device.h"

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

struct ProductOf {
  SINGA_HD float operator()(float x, float m) const { return x * m; }
};

struct SumOf {
  SINGA_HD float operator()(float x, float y) const { return y + x; }
};

}  // namespace singa
