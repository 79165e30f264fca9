// The kernel's time is the time to write y.
#include "nn/input/one_hot.h"

#include "nn/input/one_hot_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Forward(Context& ctx, const float* index, float* y, int64_t n, int64_t d, int64_t first) {
  ForEach(ctx, n * d, OneHotElement{index, y, d, first});
}

[[maybe_unused]] const bool registered = OneHot.Set(Device::kCuda, Forward);

}  // namespace
}  // namespace singa
