#include "math/elementwise.h"

#include <cmath>

namespace singa {
namespace {

void Relu(Context&, const float* x, float* y, int64_t n, float slope) {
  for (int64_t i = 0; i < n; ++i) {
    const float below = slope == 0 ? 0 : slope * x[i];  // 0 times -infinity would be NaN
    y[i] = x[i] < 0 ? below : x[i];
  }
}

void ReluGradient(Context&, const float* y, const float* dy, float* dx, int64_t n, float slope) {
  for (int64_t i = 0; i < n; ++i) dx[i] = y[i] > 0 ? dy[i] : slope * dy[i];
}

void Sigmoid(Context&, const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = 1 / (1 + std::exp(-x[i]));
}

void SigmoidGradient(Context&, const float* y, const float* dy, float* dx, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * y[i] * (1 - y[i]);
}

void Tanh(Context&, const float* x, float* y, int64_t n, float a, float b) {
  for (int64_t i = 0; i < n; ++i) y[i] = a * std::tanh(b * x[i]);
}

void TanhGradient(Context&, const float* y, const float* dy, float* dx, int64_t n, float a,
                  float b) {
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * (a * b - b / a * y[i] * y[i]);
}

void Product(Context&, const float* x, const float* m, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * m[i];
}

[[maybe_unused]] const bool registered =
    ReluForward.Set(Device::kCpu, Relu) && ReluBackward.Set(Device::kCpu, ReluGradient) &&
    SigmoidForward.Set(Device::kCpu, Sigmoid) &&
    SigmoidBackward.Set(Device::kCpu, SigmoidGradient) && TanhForward.Set(Device::kCpu, Tanh) &&
    TanhBackward.Set(Device::kCpu, TanhGradient) && Multiply.Set(Device::kCpu, Product);

}  // namespace
}  // namespace singa
