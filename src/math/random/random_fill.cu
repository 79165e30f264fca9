// Writing memory bounds the speed. Five products of 64 bits a number take nearly as long.
#include <cmath>

#include "math/random/random_elements.h"
#include "math/random/random_kernels.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

template <typename Convert>
void Fill(Context& ctx, const Convert& convert, Philox stream, uint64_t first, int64_t n,
          float* x) {
  using Block = FillBlock<Convert>;
  if (n == 0) return;
  const bool aligned = AlignedTo<4>(x - first % 4);
  ForEach(ctx, Block::blocks(first, n),
          Block{convert, stream, ctx.device_state, first, n, x, aligned});
}

void Uniform(Context& ctx, Philox stream, uint64_t first, int64_t n, float low, float high,
             float* x) {
  Fill(ctx, UniformOf{low, high - low, std::nextafter(high, low)}, stream, first, n, x);
}

void Gaussian(Context& ctx, Philox stream, uint64_t first, int64_t n, float mean, float std,
              float* x) {
  Fill(ctx, GaussianOf{mean, std}, stream, first, n, x);
}

void Bernoulli(Context& ctx, Philox stream, uint64_t first, int64_t n, float keep, float scale,
               float* mask) {
  Fill(ctx, MaskOf{keep, scale}, stream, first, n, mask);
}

[[maybe_unused]] const bool registered = UniformKernel.Set(Device::kCuda, Uniform) &&
                                         GaussianKernel.Set(Device::kCuda, Gaussian) &&
                                         BernoulliKernel.Set(Device::kCuda, Bernoulli);

}  // namespace
}  // namespace singa
