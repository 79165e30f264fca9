#include "singa/math/random_fill.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/box_muller.h"
#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "math/random/random_kernels.h"

namespace singa {
namespace {

constexpr int64_t kBlocks = 256;  // of four words; they stay in the first-level cache
using Words = std::array<uint32_t, 4 * kBlocks>;
using Values = std::array<float, 4 * kBlocks>;

// Writes words[4 j + k] = word k of block first + j, for j < n.
SINGA_CPU_CLONES void MakeWords(Philox stream, uint64_t first, int64_t n,
                                uint32_t* __restrict words) {
  for (int64_t j = 0; j < n; ++j) {
    const std::array<uint32_t, 4> x = stream.Block(first + j);
    for (int64_t k = 0; k < 4; ++k) words[4 * j + k] = x[k];
  }
}

// Fills x[i], number first + i, for i in [0, n), by convert(words, n, values), which converts n
// words, a multiple of four.
template <typename Convert>
void Fill(Context& ctx, Philox stream, uint64_t first, int64_t n, float* x,
          const Convert& convert) {
  stream = InStep(stream, ctx.device_state);
  ParallelSlices(ctx, n, [&](int64_t begin, int64_t end) {
    alignas(64) Words words;
    alignas(64) Values values;
    while (begin < end) {
      const uint64_t index = first + begin;
      const int64_t skip = index % 4;
      const int64_t count = std::min(end - begin, 4 * kBlocks - skip);
      const int64_t blocks = (skip + count + 3) / 4;
      MakeWords(stream, index / 4, blocks, words.data());
      convert(words.data(), 4 * blocks, values.data());
      std::copy_n(values.data() + skip, count, x + begin);
      begin += count;
    }
  });
}

// `last` keeps rounding from reaching the upper bound.
SINGA_CPU_CLONES_EXACT void ToUniform(const uint32_t* __restrict words, int64_t n, float low,
                                      float range, float last, float* __restrict x) {
  for (int64_t i = 0; i < n; ++i) {
    const float value = low + range * Philox::ToUniform(words[i]);
    x[i] = value > last ? last : value;
  }
}

SINGA_CPU_CLONES_EXACT void ToSquaredRadius(const uint32_t* __restrict words, int64_t pairs,
                                            float* __restrict radius) {
  for (int64_t i = 0; i < pairs; ++i) radius[i] = MinusTwoLog(words[2 * i]);
}

SINGA_CPU_CLONES_EXACT void ToGaussian(const uint32_t* __restrict words, int64_t pairs,
                                       const float* __restrict radius, float mean, float std,
                                       float* __restrict x) {
  for (int64_t i = 0; i < pairs; ++i) {
    float cosine, sine;
    CosSinOfTurn(words[2 * i + 1], &cosine, &sine);
    x[2 * i] = mean + std * (radius[i] * cosine);
    x[2 * i + 1] = mean + std * (radius[i] * sine);
  }
}

SINGA_CPU_CLONES_EXACT void ToMask(const uint32_t* __restrict words, int64_t n, float keep,
                                   float scale, float* __restrict mask) {
  for (int64_t i = 0; i < n; ++i) mask[i] = Philox::ToUniform(words[i]) < keep ? scale : 0.f;
}

void CpuUniform(Context& ctx, Philox stream, uint64_t first, int64_t n, float low, float high,
                float* x) {
  const float last = std::nextafter(high, low);
  Fill(ctx, stream, first, n, x, [=](const uint32_t* words, int64_t count, float* values) {
    ToUniform(words, count, low, high - low, last, values);
  });
}

void CpuGaussian(Context& ctx, Philox stream, uint64_t first, int64_t n, float mean, float std,
                 float* x) {
  Fill(ctx, stream, first, n, x, [=](const uint32_t* words, int64_t count, float* values) {
    std::array<float, 2 * kBlocks> radius;
    ToSquaredRadius(words, count / 2, radius.data());
    for (int64_t i = 0; i < count / 2; ++i) radius[i] = std::sqrt(radius[i]);
    ToGaussian(words, count / 2, radius.data(), mean, std, values);
  });
}

void CpuBernoulli(Context& ctx, Philox stream, uint64_t first, int64_t n, float keep, float scale,
                  float* mask) {
  Fill(ctx, stream, first, n, mask, [=](const uint32_t* words, int64_t count, float* values) {
    ToMask(words, count, keep, scale, values);
  });
}

[[maybe_unused]] const bool registered = UniformKernel.Set(Device::kCpu, CpuUniform) &&
                                         GaussianKernel.Set(Device::kCpu, CpuGaussian) &&
                                         BernoulliKernel.Set(Device::kCpu, CpuBernoulli);

}  // namespace

void FillUniform(Context& ctx, Philox stream, uint64_t first, int64_t n, float low, float high,
                 float* x) {
  UniformKernel(ctx, stream, first, n, low, high, x);
}

void FillGaussian(Context& ctx, Philox stream, uint64_t first, int64_t n, float mean, float std,
                  float* x) {
  GaussianKernel(ctx, stream, first, n, mean, std, x);
}

void BernoulliMask(Context& ctx, Philox stream, uint64_t first, int64_t n, float keep, float scale,
                   float* mask) {
  BernoulliKernel(ctx, stream, first, n, keep, scale, mask);
}

}  // namespace singa
