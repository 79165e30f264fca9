#include "math/elementwise/half.h"

#include <limits>
#include <span>

#include "math/elementwise/float16_range.h"

namespace singa {
namespace {

void To(Context& ctx, const float* x, uint16_t* y, int64_t n) {
  if (ctx.precision == Precision::kBFloat16) {
    for (int64_t i = 0; i < n; ++i) y[i] = BFloat16::From(x[i]);
    return;
  }
  constexpr float kNoClip = std::numeric_limits<float>::infinity();
  PackFloat16(x, n, kNoClip, 1, std::as_writable_bytes(std::span(y, n)).data());
}

void From(Context& ctx, const uint16_t* x, float* y, int64_t n) {
  if (ctx.precision == Precision::kBFloat16) {
    for (int64_t i = 0; i < n; ++i) y[i] = BFloat16::ToFloat(x[i]);
    return;
  }
  UnpackFloat16(std::as_bytes(std::span(x, n)).data(), n, 1, y);
}

[[maybe_unused]] const bool registered =
    ToHalf.Set(Device::kCpu, To) && FromHalf.Set(Device::kCpu, From);

}  // namespace
}  // namespace singa
