#include "math/layout/blocks.h"

#include <cstring>

#include "math/elementwise/elementwise.h"

namespace singa {
namespace {

void Copy(Context&, const float* x, int64_t x_stride, float* y, int64_t y_stride, int64_t n,
          int64_t size) {
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(y + i * y_stride, x + i * x_stride, size * sizeof(float));
}

void Add(Context& ctx, const float* x, int64_t x_stride, float* y, int64_t y_stride, int64_t n,
         int64_t size) {
  for (int64_t i = 0; i < n; ++i) AddTo(ctx, x + i * x_stride, y + i * y_stride, size);
}

void Zero(Context&, float* y, int64_t stride, int64_t n, int64_t size) {
  for (int64_t i = 0; i < n; ++i) std::memset(y + i * stride, 0, size * sizeof(float));
}

[[maybe_unused]] const bool registered = CopyBlocks.Set(Device::kCpu, Copy) &&
                                         AddBlocks.Set(Device::kCpu, Add) &&
                                         ZeroBlocks.Set(Device::kCpu, Zero);

}  // namespace
}  // namespace singa
