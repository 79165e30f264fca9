// The kernels of kEltwise as vector code over the context's threads.
#include <algorithm>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/eltwise.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void SumRange(const float* a, float a_factor, const float* b, float b_factor,
                               float floor, float* y, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const float sum = a_factor * a[i] + b_factor * b[i];
    y[i] = sum < floor ? floor : sum;
  }
}

SINGA_CPU_CLONES void GradientRange(const float* dy, SummandGradient a, SummandGradient b,
                                    int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const float g = dy[i];
    a.dx[i] = a.factor * g;
    b.dx[i] = b.factor * g;
  }
}

SINGA_CPU_CLONES void CutGradientRange(const float* y, const float* dy, SummandGradient a,
                                       SummandGradient b, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const float g = y[i] > 0 ? dy[i] : 0;
    a.dx[i] = a.factor * g;
    b.dx[i] = b.factor * g;
  }
}

SINGA_CPU_CLONES void LargerRange(const float* a, const float* b, uint8_t index, float* y,
                                  uint8_t* winner, int64_t begin, int64_t end) {
  const uint8_t kept = index == 1 ? 0 : 0xFF;  // bits of the winner before this source
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const bool wins = (b[i] > a[i]) | (b[i] != b[i]);
    y[i] = wins ? b[i] : a[i];
    winner[i] = wins ? index : static_cast<uint8_t>(winner[i] & kept);
  }
}

SINGA_CPU_CLONES void LargerGradientRange(const uint8_t* winner, uint8_t index, const float* dy,
                                          float* dx, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) dx[i] = winner[i] == index ? dy[i] : 0;
}

SINGA_CPU_CLONES void ScaleRange(const float* x, const float* __restrict scale, float* y,
                                 int64_t pixels, int64_t c) {
  for (int64_t p = 0; p < pixels; ++p, x += c, y += c) {
#pragma omp simd
    for (int64_t j = 0; j < c; ++j) y[j] = x[j] * scale[j];
  }
}

SINGA_CPU_CLONES void AddProducts(const float* __restrict x, const float* __restrict dy,
                                  int64_t pixels, int64_t stride, float* __restrict sums,
                                  int64_t channels) {
  for (int64_t p = 0; p < pixels; ++p, x += stride, dy += stride)
    for (int64_t j = 0; j < channels; ++j) sums[j] += x[j] * dy[j];
}

void Sum(Context& ctx, const float* a, float a_factor, const float* b, float b_factor, float floor,
         float* y, int64_t n) {
  ParallelSlices(ctx, n, [=](int64_t begin, int64_t end) {
    SumRange(a, a_factor, b, b_factor, floor, y, begin, end);
  });
}

void SumGradient(Context& ctx, const float* y, const float* dy, SummandGradient a,
                 SummandGradient b, int64_t n) {
  if (!b.dx) b = a;  // writes the same numbers twice
  ParallelSlices(ctx, n, [=](int64_t begin, int64_t end) {
    if (y)
      CutGradientRange(y, dy, a, b, begin, end);
    else
      GradientRange(dy, a, b, begin, end);
  });
}

void Larger(Context& ctx, const float* a, const float* b, uint8_t index, float* y, uint8_t* winner,
            int64_t n) {
  ParallelSlices(
      ctx, n, [=](int64_t begin, int64_t end) { LargerRange(a, b, index, y, winner, begin, end); });
}

void LargerGradient(Context& ctx, const uint8_t* winner, uint8_t index, const float* dy, float* dx,
                    int64_t n) {
  ParallelSlices(ctx, n, [=](int64_t begin, int64_t end) {
    LargerGradientRange(winner, index, dy, dx, begin, end);
  });
}

// Threads divide the pixels of all images.
void TimesChannels(Context& ctx, const float* x, const float* scale, float* y, int64_t n,
                   int64_t pixels, int64_t c) {
  ParallelSlices(ctx, n * pixels * c, c, [=](int64_t begin, int64_t end) {
    for (int64_t p = begin / c; p < end / c;) {
      const int64_t image = p / pixels, next = std::min(end / c, (image + 1) * pixels);
      ScaleRange(x + p * c, scale + image * c, y + p * c, next - p, c);
      p = next;
    }
  });
}

// Threads divide the images.
void TimesChannelsGradient(Context& ctx, const float* x, const float* dy, float* dscale, int64_t n,
                           int64_t pixels, int64_t c) {
  constexpr int64_t kChannels = 1024;  // sums that stay in the first-level cache
  const int64_t size = pixels * c;
  ParallelSlices(ctx, n * size, size, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin / size; i < end / size; ++i) {
      float* const sums = dscale + i * c;
      std::fill_n(sums, c, 0.f);
      for (int64_t j = 0; j < c; j += kChannels)
        AddProducts(x + i * size + j, dy + i * size + j, pixels, c, sums + j,
                    std::min(kChannels, c - j));
    }
  });
}

[[maybe_unused]] const bool registered =
    WeightedSum.Set(Device::kCpu, Sum, Rank::kVector) &&
    WeightedSumGradient.Set(Device::kCpu, SumGradient, Rank::kVector) &&
    LargerOf.Set(Device::kCpu, Larger, Rank::kVector) &&
    LargerOfGradient.Set(Device::kCpu, LargerGradient, Rank::kVector) &&
    ScaleChannels.Set(Device::kCpu, TimesChannels, Rank::kVector) &&
    ScaleChannelsGradient.Set(Device::kCpu, TimesChannelsGradient, Rank::kVector);

}  // namespace
}  // namespace singa
