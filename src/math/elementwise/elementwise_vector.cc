// The functions of elementwise.cc as vector code over the context's threads.
#include "math/cpu_dispatch.h"
#include "math/elementwise/elementwise.h"
#include "math/elementwise/elementwise_elements.h"
#include "math/elementwise/vector_math.h"
#include "math/parallel_slices.h"

namespace singa {
namespace {

constexpr int64_t kLine = 16;  // floats of a cache line

SINGA_CPU_CLONES void ReluRange(const float* x, float* y, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

SINGA_CPU_CLONES void LeakyRange(const float* x, float* y, int64_t begin, int64_t end,
                                 float slope) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] < 0 ? slope * x[i] : x[i];
}

SINGA_CPU_CLONES void ReluGradientRange(const float* y, const float* dy, float* dx, int64_t begin,
                                        int64_t end, float slope) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) dx[i] = y[i] > 0 ? dy[i] : slope * dy[i];
}

SINGA_CPU_CLONES void SigmoidRange(const float* x, float* y, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) y[i] = 1 / (1 + VectorExp(-x[i]));
}

SINGA_CPU_CLONES void SigmoidGradientRange(const float* y, const float* dy, float* dx,
                                           int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) dx[i] = dy[i] * y[i] * (1 - y[i]);
}

SINGA_CPU_CLONES void TanhRange(const float* x, float* y, int64_t begin, int64_t end, float a,
                                float b) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) y[i] = a * VectorTanh(b * x[i]);
}

SINGA_CPU_CLONES void TanhGradientRange(const float* y, const float* dy, float* dx, int64_t begin,
                                        int64_t end, float a, float b) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) dx[i] = dy[i] * (a * b - b / a * y[i] * y[i]);
}

SINGA_CPU_CLONES void GeluRange(const float* x, float* y, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] * VectorNormal(x[i]).below;
}

inline ValueAndSlope GeluAt(float x) {
  const NormalAt at = VectorNormal(x);
  return {x * at.below, at.below + x * at.density};
}

SINGA_CPU_CLONES void GeluGradientRange(const float* x, const float* dy, float* dx, int64_t begin,
                                        int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) dx[i] = dy[i] * GeluAt(x[i]).slope;
}

SINGA_CPU_CLONES void GeluWithSlopeRange(const float* x, float* y, float* slope, int64_t begin,
                                         int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const ValueAndSlope at = GeluAt(x[i]);
    y[i] = at.value;
    slope[i] = at.slope;
  }
}

SINGA_CPU_CLONES void SiluRange(const float* x, float* y, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] / (1 + VectorExp(-x[i]));
}

// As SiluWithSlopeOf.
inline ValueAndSlope SiluAt(float x) {
  const float e = VectorExp(-std::abs(x));
  const float large = 1 / (1 + e), small = e * large;
  const float s = x < 0 ? small : large, rest = x < 0 ? large : small;
  return {x * s, s * (1 + x * rest)};
}

SINGA_CPU_CLONES void SiluGradientRange(const float* x, const float* dy, float* dx, int64_t begin,
                                        int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) dx[i] = dy[i] * SiluAt(x[i]).slope;
}

SINGA_CPU_CLONES void SiluWithSlopeRange(const float* x, float* y, float* slope, int64_t begin,
                                         int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const ValueAndSlope at = SiluAt(x[i]);
    y[i] = at.value;
    slope[i] = at.slope;
  }
}

SINGA_CPU_CLONES void RampRange(const float* x, float* y, int64_t begin, int64_t end, float slope,
                                float shift, float top) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const float line = slope * x[i] + shift;
    const float below = line > top ? top : line;
    y[i] = line < 0 ? 0 : below;
  }
}

SINGA_CPU_CLONES void RampGradientRange(const float* y, const float* dy, float* dx, int64_t begin,
                                        int64_t end, float slope, float top) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const bool rises = (y[i] > 0) & (y[i] < top);
    dx[i] = rises ? slope * dy[i] : 0;
  }
}

SINGA_CPU_CLONES void HardSwishRange(const float* x, float* y, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const float line = x[i] * (1 / 6.f) + 0.5f;
    const float below = line > 1 ? 1 : line;
    y[i] = x[i] * (line < 0 ? 0 : below);
  }
}

SINGA_CPU_CLONES void HardSwishGradientRange(const float* x, const float* dy, float* dx,
                                             int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const float within = dy[i] * (x[i] * (1 / 3.f) + 0.5f), above = x[i] < 3 ? within : dy[i];
    dx[i] = x[i] <= -3 ? 0 : above;
  }
}

SINGA_CPU_CLONES void ProductRange(const float* x, const float* m, float* y, int64_t begin,
                                   int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) y[i] = x[i] * m[i];
}

SINGA_CPU_CLONES void SumRange(const float* x, float* y, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) y[i] += x[i];
}

void Relu(Context& ctx, const float* x, float* y, int64_t n, float slope) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) {
    if (slope == 0)  // 0 times -infinity would be NaN
      ReluRange(x, y, begin, end);
    else
      LeakyRange(x, y, begin, end, slope);
  });
}

void ReluGradient(Context& ctx, const float* y, const float* dy, float* dx, int64_t n,
                  float slope) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) {
    ReluGradientRange(y, dy, dx, begin, end, slope);
  });
}

void Sigmoid(Context& ctx, const float* x, float* y, int64_t n) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { SigmoidRange(x, y, begin, end); });
}

void SigmoidGradient(Context& ctx, const float* y, const float* dy, float* dx, int64_t n) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { SigmoidGradientRange(y, dy, dx, begin, end); });
}

void Tanh(Context& ctx, const float* x, float* y, int64_t n, float a, float b) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { TanhRange(x, y, begin, end, a, b); });
}

void TanhGradient(Context& ctx, const float* y, const float* dy, float* dx, int64_t n, float a,
                  float b) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) {
    TanhGradientRange(y, dy, dx, begin, end, a, b);
  });
}

void Gelu(Context& ctx, const float* x, float* y, int64_t n) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) { GeluRange(x, y, begin, end); });
}

void GeluGradient(Context& ctx, const float* x, const float* dy, float* dx, int64_t n) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { GeluGradientRange(x, dy, dx, begin, end); });
}

void GeluAndSlope(Context& ctx, const float* x, float* y, float* slope, int64_t n) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { GeluWithSlopeRange(x, y, slope, begin, end); });
}

void Silu(Context& ctx, const float* x, float* y, int64_t n) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) { SiluRange(x, y, begin, end); });
}

void SiluGradient(Context& ctx, const float* x, const float* dy, float* dx, int64_t n) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { SiluGradientRange(x, dy, dx, begin, end); });
}

void SiluAndSlope(Context& ctx, const float* x, float* y, float* slope, int64_t n) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { SiluWithSlopeRange(x, y, slope, begin, end); });
}

void Ramp(Context& ctx, const float* x, float* y, int64_t n, float slope, float shift, float top) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) {
    RampRange(x, y, begin, end, slope, shift, top);
  });
}

void RampGradient(Context& ctx, const float* y, const float* dy, float* dx, int64_t n, float slope,
                  float top) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) {
    RampGradientRange(y, dy, dx, begin, end, slope, top);
  });
}

void HardSwish(Context& ctx, const float* x, float* y, int64_t n) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { HardSwishRange(x, y, begin, end); });
}

void HardSwishGradient(Context& ctx, const float* x, const float* dy, float* dx, int64_t n) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) {
    HardSwishGradientRange(x, dy, dx, begin, end);
  });
}

void Product(Context& ctx, const float* x, const float* m, float* y, int64_t n) {
  ParallelSlices(ctx, n, kLine,
                 [=](int64_t begin, int64_t end) { ProductRange(x, m, y, begin, end); });
}

void Sum(Context& ctx, const float* x, float* y, int64_t n) {
  ParallelSlices(ctx, n, kLine, [=](int64_t begin, int64_t end) { SumRange(x, y, begin, end); });
}

[[maybe_unused]] const bool registered =
    ReluForward.Set(Device::kCpu, Relu, Rank::kVector) &&
    ReluBackward.Set(Device::kCpu, ReluGradient, Rank::kVector) &&
    SigmoidForward.Set(Device::kCpu, Sigmoid, Rank::kVector) &&
    SigmoidBackward.Set(Device::kCpu, SigmoidGradient, Rank::kVector) &&
    TanhForward.Set(Device::kCpu, Tanh, Rank::kVector) &&
    TanhBackward.Set(Device::kCpu, TanhGradient, Rank::kVector) &&
    GeluForward.Set(Device::kCpu, Gelu, Rank::kVector) &&
    GeluBackward.Set(Device::kCpu, GeluGradient, Rank::kVector) &&
    SiluForward.Set(Device::kCpu, Silu, Rank::kVector) &&
    SiluBackward.Set(Device::kCpu, SiluGradient, Rank::kVector) &&
    GeluWithSlope.Set(Device::kCpu, GeluAndSlope, Rank::kVector) &&
    SiluWithSlope.Set(Device::kCpu, SiluAndSlope, Rank::kVector) &&
    RampForward.Set(Device::kCpu, Ramp, Rank::kVector) &&
    RampBackward.Set(Device::kCpu, RampGradient, Rank::kVector) &&
    HardSwishForward.Set(Device::kCpu, HardSwish, Rank::kVector) &&
    HardSwishBackward.Set(Device::kCpu, HardSwishGradient, Rank::kVector) &&
    Multiply.Set(Device::kCpu, Product, Rank::kVector) &&
    AddTo.Set(Device::kCpu, Sum, Rank::kVector);

}  // namespace
}  // namespace singa
