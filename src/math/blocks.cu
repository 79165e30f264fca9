#include "math/blocks.h"
#include "tensor/launch.cuh"

namespace singa {
namespace {

struct CopyOne {
  const float* x;
  int64_t x_stride;
  float* y;
  int64_t y_stride, size;
  SINGA_HD void operator()(int64_t i) const {
    const int64_t block = i / size, j = i % size;
    y[block * y_stride + j] = x[block * x_stride + j];
  }
};

struct ZeroOne {
  float* y;
  int64_t stride, size;
  SINGA_HD void operator()(int64_t i) const { y[i / size * stride + i % size] = 0; }
};

void Copy(Context& ctx, const float* x, int64_t x_stride, float* y, int64_t y_stride, int64_t n,
          int64_t size) {
  ForEach(ctx, n * size, CopyOne{x, x_stride, y, y_stride, size});
}

void Zero(Context& ctx, float* y, int64_t stride, int64_t n, int64_t size) {
  ForEach(ctx, n * size, ZeroOne{y, stride, size});
}

[[maybe_unused]] const bool registered =
    CopyBlocks.Set(Device::kCuda, Copy) && ZeroBlocks.Set(Device::kCuda, Zero);

}  // namespace
}  // namespace singa
