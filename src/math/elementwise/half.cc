#include "math/elementwise/half.h"

namespace singa {
namespace {

void To(Context& ctx, const float* x, uint16_t* y, int64_t n) {
  const bool brain = ctx.precision == Precision::kBFloat16;
  for (int64_t i = 0; i < n; ++i) y[i] = brain ? BFloat16::From(x[i]) : Float16::From(x[i]);
}

void From(Context& ctx, const uint16_t* x, float* y, int64_t n) {
  const bool brain = ctx.precision == Precision::kBFloat16;
  for (int64_t i = 0; i < n; ++i) y[i] = brain ? BFloat16::ToFloat(x[i]) : Float16::ToFloat(x[i]);
}

[[maybe_unused]] const bool registered =
    ToHalf.Set(Device::kCpu, To) && FromHalf.Set(Device::kCpu, From);

}  // namespace
}  // namespace singa
