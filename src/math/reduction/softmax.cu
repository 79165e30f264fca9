#include "math/reduction/softmax.h"
#include "math/reduction/softmax_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Forward(Context& ctx, const float* x, float* y, int64_t n, int64_t d) {
  ForEachRow(ctx, n, d, SoftmaxRow{x, y, d});
}

void Backward(Context& ctx, const float* y, const float* dy, float* dx, int64_t n, int64_t d) {
  ForEachRow(ctx, n, d, SoftmaxGradientRow{y, dy, dx, d});
}

[[maybe_unused]] const bool registered =
    SoftmaxForward.Set(Device::kCuda, Forward) && SoftmaxBackward.Set(Device::kCuda, Backward);

}  // namespace
}  // namespace singa
