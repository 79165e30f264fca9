#include "math/elementwise/half_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

template <typename Work>
void ForLanes(Context& ctx, const Work& work) {
  ForEach(ctx, (work.n + Work::kLanes - 1) / Work::kLanes, work);
}

void To(Context& ctx, const float* x, uint16_t* y, int64_t n) {
  if (ctx.precision == Precision::kBFloat16)
    ForLanes(ctx, ToHalfLanes<BFloat16>{x, y, n});
  else
    ForLanes(ctx, ToHalfLanes<Float16>{x, y, n});
}

void From(Context& ctx, const uint16_t* x, float* y, int64_t n) {
  if (ctx.precision == Precision::kBFloat16)
    ForLanes(ctx, FromHalfLanes<BFloat16>{x, y, n});
  else
    ForLanes(ctx, FromHalfLanes<Float16>{x, y, n});
}

[[maybe_unused]] const bool registered =
    ToHalf.Set(Device::kCuda, To) && FromHalf.Set(Device::kCuda, From);

}  // namespace
}  // namespace singa
