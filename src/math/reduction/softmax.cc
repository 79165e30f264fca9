#include "math/reduction/softmax.h"

#include <algorithm>
#include <cmath>

#include "math/cpu_dispatch.h"
#include "math/elementwise/vector_math.h"
#include "math/parallel_slices.h"

namespace singa {
namespace {

// The definition. The largest x is subtracted first, since exp would overflow.
void Forward(Context&, const float* x, float* y, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i, x += d, y += d) {
    const float largest = *std::max_element(x, x + d);
    double sum = 0;
    for (int64_t j = 0; j < d; ++j) sum += y[j] = std::exp(x[j] - largest);
    for (int64_t j = 0; j < d; ++j) y[j] = static_cast<float>(y[j] / sum);
  }
}

void Backward(Context&, const float* y, const float* dy, float* dx, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i, y += d, dy += d, dx += d) {
    double y_dy = 0;
    for (int64_t j = 0; j < d; ++j) y_dy += double{y[j]} * dy[j];
    for (int64_t j = 0; j < d; ++j) dx[j] = static_cast<float>(y[j] * (dy[j] - y_dy));
  }
}

// Terms that are added up in float; the sums of these are double.
constexpr int64_t kBlock = 512;
// A row that is shorter fills no vector: VectorExp takes twice as long for it as std::exp.
constexpr int64_t kShortRow = 16;

SINGA_CPU_CLONES void ForwardRows(const float* x, float* y, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i, x += d, y += d) {
    float largest = x[0];
#pragma omp simd reduction(max : largest)
    for (int64_t j = 1; j < d; ++j) largest = largest < x[j] ? x[j] : largest;
    double total = 0;
    for (int64_t begin = 0; begin < d; begin += kBlock) {
      const int64_t end = std::min(d, begin + kBlock);
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t j = begin; j < end; ++j) {
        y[j] = VectorExp(x[j] - largest);
        sum += y[j];
      }
      total += sum;
    }
    const auto scale = static_cast<float>(1 / total);
#pragma omp simd
    for (int64_t j = 0; j < d; ++j) y[j] *= scale;
  }
}

SINGA_CPU_CLONES void BackwardRows(const float* y, const float* dy, float* dx, int64_t n,
                                   int64_t d) {
  for (int64_t i = 0; i < n; ++i, y += d, dy += d, dx += d) {
    double total = 0;
    for (int64_t begin = 0; begin < d; begin += kBlock) {
      const int64_t end = std::min(d, begin + kBlock);
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t j = begin; j < end; ++j) sum += y[j] * dy[j];
      total += sum;
    }
    const auto y_dy = static_cast<float>(total);
#pragma omp simd
    for (int64_t j = 0; j < d; ++j) dx[j] = y[j] * (dy[j] - y_dy);
  }
}

void FastForward(Context& ctx, const float* x, float* y, int64_t n, int64_t d) {
  if (d < kShortRow) return Forward(ctx, x, y, n, d);
  ParallelSlices(ctx, n * d, d, [=](int64_t begin, int64_t end) {
    ForwardRows(x + begin, y + begin, (end - begin) / d, d);
  });
}

void FastBackward(Context& ctx, const float* y, const float* dy, float* dx, int64_t n, int64_t d) {
  ParallelSlices(ctx, n * d, d, [=](int64_t begin, int64_t end) {
    BackwardRows(y + begin, dy + begin, dx + begin, (end - begin) / d, d);
  });
}

[[maybe_unused]] const bool registered =
    SoftmaxForward.Set(Device::kCpu, Forward) && SoftmaxBackward.Set(Device::kCpu, Backward) &&
    SoftmaxForward.Set(Device::kCpu, FastForward, Rank::kVector) &&
    SoftmaxBackward.Set(Device::kCpu, FastBackward, Rank::kVector);

}  // namespace
}  // namespace singa
