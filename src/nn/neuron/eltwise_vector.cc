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

SINGA_CPU_CLONES void SumProducts(const float* __restrict x, const float* __restrict dy,
                                  int64_t pixels, int64_t stride, float* __restrict sums,
                                  int64_t channels) {
  for (int64_t j = 0; j < channels; ++j) sums[j] = 0;
  for (int64_t p = 0; p < pixels; ++p, x += stride, dy += stride)
    for (int64_t j = 0; j < channels; ++j) sums[j] += x[j] * dy[j];
}

constexpr int64_t kMostSums = 1024;  // sums that stay in the first-level cache

// Computes the sums of at most kMostSums channels of an image: those of 256 pixels in float32, and
// their sum in float64.
void SumOverPixels(const float* x, const float* dy, int64_t pixels, int64_t c, float* dscale,
                   int64_t channels) {
  constexpr int64_t kPixels = 256;
  float sums[kMostSums];
  double all[kMostSums];
  std::fill_n(all, channels, 0.);
  for (int64_t p = 0; p < pixels; p += kPixels) {
    SumProducts(x + p * c, dy + p * c, std::min(kPixels, pixels - p), c, sums, channels);
    for (int64_t j = 0; j < channels; ++j) all[j] += sums[j];
  }
  for (int64_t j = 0; j < channels; ++j) dscale[j] = static_cast<float>(all[j]);
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

// Threads divide the channels of all images.
void TimesChannelsGradient(Context& ctx, const float* x, const float* dy, float* dscale, int64_t n,
                           int64_t pixels, int64_t c) {
  constexpr int64_t kLine = 16;  // floats of a cache line
  ParallelSlices(ctx, n * c * pixels, kLine * pixels, [=](int64_t begin, int64_t end) {
    for (int64_t at = begin / pixels; at < end / pixels;) {
      const int64_t j = at % c, first = at / c * pixels * c + j;
      const int64_t channels = std::min({kMostSums, c - j, end / pixels - at});
      SumOverPixels(x + first, dy + first, pixels, c, dscale + at, channels);
      at += channels;
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
