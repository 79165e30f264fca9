// The functions of sigmoid_cross_entropy.cc as vector code.
#include <algorithm>

#include "math/cpu_dispatch.h"
#include "math/elementwise/vector_math.h"
#include "math/parallel_slices.h"
#include "nn/loss/sigmoid_cross_entropy.h"
#include "nn/loss/sigmoid_cross_entropy_elements.h"

namespace singa {
namespace {

// Terms that are added up in float; the sums of these are double.
constexpr int64_t kBlock = 256;

// Returns log(1 + e) for e in [0, 1], by the series of 2 atanh(e / (2 + e)).
inline float VectorLog1p(float e) {
  const float s = e / (2 + e), q = s * s;  // s <= 1/3
  float p = 1.f / 13;
  p = p * q + 1.f / 11;
  p = p * q + 1.f / 9;
  p = p * q + 1.f / 7;
  p = p * q + 1.f / 5;
  p = p * q + 1.f / 3;
  return 2 * (p * q * s + s);
}

// Adds up the terms of n <= kBlock elements; step 0: all have the weight p[0], step 1: element j
// has p[j].
SINGA_CPU_CLONES void AddBlock(const float* x, const float* t, const float* p, int64_t step,
                               int64_t n, double* sums) {
  float loss = 0;
  int32_t right = 0, hits = 0, positives = 0;
#pragma omp simd reduction(+ : loss, right, hits, positives)
  for (int64_t j = 0; j < n; ++j) {
    const float negative = x[j] < 0 ? -x[j] : 0;
    const float log_term = negative + VectorLog1p(VectorExp(-std::abs(x[j])));
    loss += (1 - t[j]) * x[j] + (1 + (p[j * step] - 1) * t[j]) * log_term;
    const int32_t positive = x[j] > 0 ? 1 : 0, wanted = t[j] > 0.5f ? 1 : 0;
    right += positive == wanted ? 1 : 0;
    hits += positive & wanted;
    positives += positive + wanted;
  }
  sums[0] += loss;
  sums[1] += right;
  sums[2] += 2 * hits;
  sums[3] += positives;
}

SINGA_CPU_CLONES void GradientRange(const float* y, const float* t, const float* p, int64_t step,
                                    float* dx, int64_t n, float scale) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j)
    dx[j] = scale * (y[j] * (1 + (p[j * step] - 1) * t[j]) - p[j * step] * t[j]);
}

void Forward(Context&, const float* x, const float* t, PositiveWeights weights, SigmoidCells cells,
             int64_t n, int64_t d) {
  const bool one = weights.count == 1;
  const int64_t rows = one ? 1 : n, size = one ? n * d : d;  // one weight: a single long row
  Sums<4> sums{};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < size; j += kBlock)
      AddBlock(x + i * size + j, t + i * size + j, weights.weight + (one ? 0 : j), one ? 0 : 1,
               std::min(kBlock, size - j), sums.data());
  AddToSigmoidCells{cells, static_cast<double>(n * d)}(0, sums);
}

void Backward(Context& ctx, const float* y, const float* t, PositiveWeights weights, float* dx,
              int64_t n, int64_t d, float scale) {
  if (weights.count == 1)
    return ParallelSlices(ctx, n * d, [=](int64_t i, int64_t end) {
      GradientRange(y + i, t + i, weights.weight, 0, dx + i, end - i, scale);
    });
  ParallelSlices(ctx, n * d, d, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += d)
      GradientRange(y + i, t + i, weights.weight, 1, dx + i, d, scale);
  });
}

[[maybe_unused]] const bool registered =
    SigmoidCrossEntropy.Set(Device::kCpu, Forward, Rank::kVector) &&
    SigmoidCrossEntropyBackward.Set(Device::kCpu, Backward, Rank::kVector);

}  // namespace
}  // namespace singa
