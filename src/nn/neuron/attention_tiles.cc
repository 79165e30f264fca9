#include "nn/neuron/attention_tiles.h"

#include <limits>

#include "math/cpu_dispatch.h"
#include "math/elementwise/vector_math.h"
#include "math/scratch_layout.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void CopyHeadRow(const float* __restrict x, float factor, float* __restrict y,
                                  int64_t n) {
  for (int64_t j = 0; j < n; ++j) y[j] = factor * x[j];
}

// Writes `count` <= 16 steps as columns.
SINGA_CPU_CLONES void TransposeHeadRows(const float* __restrict x, int64_t stride, int64_t count,
                                        int64_t width, float* __restrict y) {
  for (int64_t j = 0; j < width; ++j)
    for (int64_t r = 0; r < count; ++r) y[j * kTileStride + r] = x[r * stride + j];
}

SINGA_CPU_CLONES float ExpScores(int64_t seen, int64_t n, float* __restrict s, float* largest,
                                 float* sum) {
  for (int64_t j = std::max<int64_t>(0, seen); j < n; ++j)
    s[j] = -std::numeric_limits<float>::infinity();
  float most = *largest, added = 0;
#pragma omp simd reduction(max : most)
  for (int64_t j = 0; j < n; ++j) most = most < s[j] ? s[j] : most;
#pragma omp simd reduction(+ : added)
  for (int64_t j = 0; j < n; ++j) {
    s[j] = VectorExp(s[j] - most);
    added += s[j];
  }
  const float factor = VectorExp(*largest - most);
  *sum = *sum * factor + added;
  *largest = most;
  return factor;
}

SINGA_CPU_CLONES void ScoreGradient(int64_t n, float log_sum, float delta, float* __restrict s,
                                    float* __restrict dp) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const float p = VectorExp(s[j] - log_sum);
    dp[j] = p * (dp[j] - delta);
    s[j] = p;
  }
}

SINGA_CPU_CLONES void DroppedScoreGradient(int64_t n, float log_sum, float delta,
                                           const float* __restrict z, float* __restrict s,
                                           float* __restrict dp) {
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) {
    const float p = VectorExp(s[j] - log_sum);
    dp[j] = p * (dp[j] * z[j] - delta);
    s[j] = p * z[j];
  }
}

// All operations are exact, so the bits are the same on every CPU.
SINGA_CPU_CLONES void DropoutMask(Philox numbers, uint64_t block, int64_t n, float keep,
                                  float scale, float* __restrict z) {
  for (int64_t i = 0; i < n / 4; ++i) {
    const std::array<uint32_t, 4> words = numbers.Block(block + static_cast<uint64_t>(i));
    for (int64_t k = 0; k < 4; ++k) z[4 * i + k] = Philox::ToUniform(words[k]) < keep ? scale : 0.f;
  }
}

SINGA_CPU_CLONES void MultiplyScores(const float* __restrict z, float* __restrict s, int64_t n) {
  for (int64_t j = 0; j < n; ++j) s[j] *= z[j];
}

SINGA_CPU_CLONES void ScaleNumbers(float factor, float* __restrict x, int64_t n) {
  for (int64_t j = 0; j < n; ++j) x[j] *= factor;
}

SINGA_CPU_CLONES float DotNumbers(const float* __restrict a, const float* __restrict b, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t j = 0; j < n; ++j) sum += a[j] * b[j];
  return sum;
}

}  // namespace

void CopySteps(const HeadSteps<const float>& from, const StepBlock& steps, int64_t width,
               float factor, float* to, int64_t stride) {
  for (int64_t t = steps.begin; t < steps.end; ++t, to += stride)
    CopyHeadRow(from.At(t), factor, to, width);
}

void TransposeSteps(const HeadSteps<const float>& from, const StepBlock& steps, int64_t width,
                    float* to) {
  constexpr int64_t kAtATime = 16;  // whole cache lines of the columns
  for (int64_t t = steps.begin; t < steps.end; t += kAtATime)
    TransposeHeadRows(from.At(t), from.stride, std::min(kAtATime, steps.end - t), width,
                      to + (t - steps.begin));
}

void StoreSteps(const float* from, int64_t stride, float factor, const StepBlock& steps,
                int64_t width, const HeadSteps<float>& to) {
  for (int64_t t = steps.begin; t < steps.end; ++t, from += stride)
    CopyHeadRow(from, factor, to.At(t), width);
}

float SoftmaxRow(int64_t seen, int64_t n, float* s, float* largest, float* sum) {
  return ExpScores(seen, n, s, largest, sum);
}

void SoftmaxGradientRow(int64_t seen, int64_t n, float log_sum, float delta, const float* z,
                        float* s, float* dp) {
  for (int64_t j = std::max<int64_t>(0, seen); j < n; ++j)
    s[j] = -std::numeric_limits<float>::infinity();
  if (z)
    DroppedScoreGradient(n, log_sum, delta, z, s, dp);
  else
    ScoreGradient(n, log_sum, delta, s, dp);
}

void DropoutRow(const AttentionDropout& dropout, uint64_t index, int64_t n, float* z) {
  DropoutMask(dropout.numbers, index / 4, n, 1 - dropout.ratio, 1 / (1 - dropout.ratio), z);
}

void MultiplyRow(const float* z, int64_t n, float* s) { MultiplyScores(z, s, n); }
void ScaleRow(float factor, int64_t n, float* x) { ScaleNumbers(factor, x, n); }
float DotRows(const float* a, const float* b, int64_t n) { return DotNumbers(a, b, n); }

ForwardSpace::ForwardSpace(const AttentionShape& shape) {
  const int64_t row = RowStride(shape);
  ScratchLayout places;
  keys = places.AddFloats(BlocksOf(shape.steps, kKeyBlock) * shape.width * kTileStride);
  values = places.AddFloats(shape.steps * row);
  q = places.AddFloats(kQueryBlock * row);
  s = places.AddFloats(kQueryBlock * kTileStride);
  o = places.AddFloats(kQueryBlock * row);
  z = places.AddFloats(kKeyBlock);
  floats = places.floats();
}

BackwardSpace::BackwardSpace(const AttentionShape& shape) {
  const int64_t row = RowStride(shape), all = shape.steps + kTileRows,
                block = kKeyBlock + kTileRows;
  ScratchLayout places;
  q = places.AddFloats(all * row);
  d_o = places.AddFloats(all * row);
  dq = places.AddFloats(all * row);
  delta = places.AddFloats(shape.steps);
  keys = places.AddFloats(kKeyBlock * row);
  keys_t = places.AddFloats(shape.width * kTileStride);
  values_t = places.AddFloats(shape.width * kTileStride);
  dk = places.AddFloats(block * row);
  dv = places.AddFloats(block * row);
  s = places.AddFloats(kQueryBlock * kTileStride);
  dp = places.AddFloats(kQueryBlock * kTileStride);
  z = places.AddFloats(kKeyBlock);
  floats = places.floats();
}

int64_t AttentionScratch(const AttentionShape& shape, int threads) {
  const int64_t tiles = std::max(ForwardSpace(shape).floats, BackwardSpace(shape).floats);
  const int64_t deltas = shape.pairs() * shape.steps;  // of a device's kernels
  return std::max(std::max(1, threads) * tiles, deltas) * static_cast<int64_t>(sizeof(float));
}

}  // namespace singa
