#include "math/elementwise/elementwise.h"
#include "math/elementwise/elementwise_elements.h"
#include "math/elementwise/map.cuh"

namespace singa {
namespace {

template <typename F>
void MapWithSlope(Context& ctx, const F& f, const float* x, float* y, float* slope, int64_t n) {
  if (n % 4 == 0 && AlignedTo<4>(x, y, slope))
    ForEach(ctx, n / 4, WithSlope<F, 4>{f, x, y, slope});
  else
    ForEach(ctx, n, WithSlope<F, 1>{f, x, y, slope});
}

void Relu(Context& ctx, const float* x, float* y, int64_t n, float slope) {
  MapElements(ctx, n, ReluOf{slope}, y, x);
}

void ReluGradient(Context& ctx, const float* y, const float* dy, float* dx, int64_t n,
                  float slope) {
  MapElements(ctx, n, ReluGradientOf{slope}, dx, y, dy);
}

void Sigmoid(Context& ctx, const float* x, float* y, int64_t n) {
  MapElements(ctx, n, SigmoidOf(), y, x);
}

void SigmoidGradient(Context& ctx, const float* y, const float* dy, float* dx, int64_t n) {
  MapElements(ctx, n, SigmoidGradientOf(), dx, y, dy);
}

void Tanh(Context& ctx, const float* x, float* y, int64_t n, float a, float b) {
  MapElements(ctx, n, TanhOf{a, b}, y, x);
}

void TanhGradient(Context& ctx, const float* y, const float* dy, float* dx, int64_t n, float a,
                  float b) {
  MapElements(ctx, n, TanhGradientOf{a, b}, dx, y, dy);
}

void Gelu(Context& ctx, const float* x, float* y, int64_t n) {
  MapElements(ctx, n, GeluOf(), y, x);
}

void GeluGradient(Context& ctx, const float* x, const float* dy, float* dx, int64_t n) {
  MapElements(ctx, n, GeluGradientOf(), dx, x, dy);
}

void GeluAndSlope(Context& ctx, const float* x, float* y, float* slope, int64_t n) {
  MapWithSlope(ctx, GeluWithSlopeOf(), x, y, slope, n);
}

void Silu(Context& ctx, const float* x, float* y, int64_t n) {
  MapElements(ctx, n, SiluOf(), y, x);
}

void SiluGradient(Context& ctx, const float* x, const float* dy, float* dx, int64_t n) {
  MapElements(ctx, n, SiluGradientOf(), dx, x, dy);
}

void SiluAndSlope(Context& ctx, const float* x, float* y, float* slope, int64_t n) {
  MapWithSlope(ctx, SiluWithSlopeOf(), x, y, slope, n);
}

void Ramp(Context& ctx, const float* x, float* y, int64_t n, float slope, float shift, float top) {
  MapElements(ctx, n, RampOf{slope, shift, top}, y, x);
}

void RampGradient(Context& ctx, const float* y, const float* dy, float* dx, int64_t n, float slope,
                  float top) {
  MapElements(ctx, n, RampGradientOf{slope, top}, dx, y, dy);
}

void HardSwish(Context& ctx, const float* x, float* y, int64_t n) {
  MapElements(ctx, n, HardSwishOf(), y, x);
}

void HardSwishGradient(Context& ctx, const float* x, const float* dy, float* dx, int64_t n) {
  MapElements(ctx, n, HardSwishGradientOf(), dx, x, dy);
}

void Product(Context& ctx, const float* x, const float* m, float* y, int64_t n) {
  MapElements(ctx, n, ProductOf(), y, x, m);
}

void Sum(Context& ctx, const float* x, float* y, int64_t n) {
  const float* const to = y;
  MapElements(ctx, n, SumOf(), y, x, to);
}

[[maybe_unused]] const bool registered =
    ReluForward.Set(Device::kCuda, Relu) && ReluBackward.Set(Device::kCuda, ReluGradient) &&
    SigmoidForward.Set(Device::kCuda, Sigmoid) &&
    SigmoidBackward.Set(Device::kCuda, SigmoidGradient) && TanhForward.Set(Device::kCuda, Tanh) &&
    TanhBackward.Set(Device::kCuda, TanhGradient) && GeluForward.Set(Device::kCuda, Gelu) &&
    GeluBackward.Set(Device::kCuda, GeluGradient) && SiluForward.Set(Device::kCuda, Silu) &&
    SiluBackward.Set(Device::kCuda, SiluGradient) &&
    GeluWithSlope.Set(Device::kCuda, GeluAndSlope) &&
    SiluWithSlope.Set(Device::kCuda, SiluAndSlope) && RampForward.Set(Device::kCuda, Ramp) &&
    RampBackward.Set(Device::kCuda, RampGradient) &&
    HardSwishForward.Set(Device::kCuda, HardSwish) &&
    HardSwishBackward.Set(Device::kCuda, HardSwishGradient) &&
    Multiply.Set(Device::kCuda, Product) && AddTo.Set(Device::kCuda, Sum);

}  // namespace
}  // namespace singa
