#include "math/layout/blocks.h"
#include "math/layout/blocks_elements.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Copy(Context& ctx, const float* x, int64_t x_stride, float* y, int64_t y_stride, int64_t n,
          int64_t size) {
  ForEach(ctx, n * size, CopyBlocksElement{x, x_stride, y, y_stride, size});
}

void Add(Context& ctx, const float* x, int64_t x_stride, float* y, int64_t y_stride, int64_t n,
         int64_t size) {
  ForEach(ctx, n * size, AddBlocksElement{x, x_stride, y, y_stride, size});
}

void Zero(Context& ctx, float* y, int64_t stride, int64_t n, int64_t size) {
  ForEach(ctx, n * size, ZeroBlocksElement{y, stride, size});
}

[[maybe_unused]] const bool registered = CopyBlocks.Set(Device::kCuda, Copy) &&
                                         AddBlocks.Set(Device::kCuda, Add) &&
                                         ZeroBlocks.Set(Device::kCuda, Zero);

}  // namespace
}  // namespace singa
