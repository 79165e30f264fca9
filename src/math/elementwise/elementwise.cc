#include "math/elementwise/elementwise.h"

#include "math/elementwise/elementwise_elements.h"

namespace singa {
namespace {

template <typename F>
void Apply(const F& f, const float* x, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

template <typename F>
void Apply(const F& f, const float* a, const float* b, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
}

template <typename F>
void ApplyWithSlope(const F& f, const float* x, float* y, float* slope, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const ValueAndSlope at = f(x[i]);
    y[i] = at.value;
    slope[i] = at.slope;
  }
}

void Relu(Context&, const float* x, float* y, int64_t n, float slope) {
  Apply(ReluOf{slope}, x, y, n);
}

void ReluGradient(Context&, const float* y, const float* dy, float* dx, int64_t n, float slope) {
  Apply(ReluGradientOf{slope}, y, dy, dx, n);
}

void Sigmoid(Context&, const float* x, float* y, int64_t n) { Apply(SigmoidOf(), x, y, n); }

void SigmoidGradient(Context&, const float* y, const float* dy, float* dx, int64_t n) {
  Apply(SigmoidGradientOf(), y, dy, dx, n);
}

void Tanh(Context&, const float* x, float* y, int64_t n, float a, float b) {
  Apply(TanhOf{a, b}, x, y, n);
}

void TanhGradient(Context&, const float* y, const float* dy, float* dx, int64_t n, float a,
                  float b) {
  Apply(TanhGradientOf{a, b}, y, dy, dx, n);
}

void Gelu(Context&, const float* x, float* y, int64_t n) { Apply(GeluOf(), x, y, n); }

void GeluGradient(Context&, const float* x, const float* dy, float* dx, int64_t n) {
  Apply(GeluGradientOf(), x, dy, dx, n);
}

void GeluAndSlope(Context&, const float* x, float* y, float* slope, int64_t n) {
  ApplyWithSlope(GeluWithSlopeOf(), x, y, slope, n);
}

void Silu(Context&, const float* x, float* y, int64_t n) { Apply(SiluOf(), x, y, n); }

void SiluGradient(Context&, const float* x, const float* dy, float* dx, int64_t n) {
  Apply(SiluGradientOf(), x, dy, dx, n);
}

void SiluAndSlope(Context&, const float* x, float* y, float* slope, int64_t n) {
  ApplyWithSlope(SiluWithSlopeOf(), x, y, slope, n);
}

void Ramp(Context&, const float* x, float* y, int64_t n, float slope, float shift, float top) {
  Apply(RampOf{slope, shift, top}, x, y, n);
}

void RampGradient(Context&, const float* y, const float* dy, float* dx, int64_t n, float slope,
                  float top) {
  Apply(RampGradientOf{slope, top}, y, dy, dx, n);
}

void HardSwish(Context&, const float* x, float* y, int64_t n) { Apply(HardSwishOf(), x, y, n); }

void HardSwishGradient(Context&, const float* x, const float* dy, float* dx, int64_t n) {
  Apply(HardSwishGradientOf(), x, dy, dx, n);
}

void Product(Context&, const float* x, const float* m, float* y, int64_t n) {
  Apply(ProductOf(), x, m, y, n);
}

void Sum(Context&, const float* x, float* y, int64_t n) { Apply(SumOf(), x, y, y, n); }

[[maybe_unused]] const bool registered =
    ReluForward.Set(Device::kCpu, Relu) && ReluBackward.Set(Device::kCpu, ReluGradient) &&
    SigmoidForward.Set(Device::kCpu, Sigmoid) &&
    SigmoidBackward.Set(Device::kCpu, SigmoidGradient) && TanhForward.Set(Device::kCpu, Tanh) &&
    TanhBackward.Set(Device::kCpu, TanhGradient) && GeluForward.Set(Device::kCpu, Gelu) &&
    GeluBackward.Set(Device::kCpu, GeluGradient) && SiluForward.Set(Device::kCpu, Silu) &&
    SiluBackward.Set(Device::kCpu, SiluGradient) && GeluWithSlope.Set(Device::kCpu, GeluAndSlope) &&
    SiluWithSlope.Set(Device::kCpu, SiluAndSlope) && RampForward.Set(Device::kCpu, Ramp) &&
    RampBackward.Set(Device::kCpu, RampGradient) && HardSwishForward.Set(Device::kCpu, HardSwish) &&
    HardSwishBackward.Set(Device::kCpu, HardSwishGradient) && Multiply.Set(Device::kCpu, Product) &&
    AddTo.Set(Device::kCpu, Sum);

}  // namespace
}  // namespace singa
