#include "nn/neuron/attention_tiles.h"

#include <limits>

#include "math/cpu_dispatch.h"
#include "math/elementwise/vector_math.h"
#include "math/layout/transpose_rows.h"
#include "math/scratch_layout.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void CopyRows(int64_t rows, int64_t n, const float* __restrict x, int64_t x_stride,
                               float factor, float* __restrict y, int64_t y_stride) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < n; ++j) y[i * y_stride + j] = factor * x[i * x_stride + j];
}

SINGA_CPU_CLONES void ExpScores(int64_t rows, int64_t n, float* __restrict s,
                                float* __restrict largest, float* __restrict sum,
                                float* __restrict factor) {
  for (int64_t i = 0; i < rows; ++i) {
    float* const row = s + i * kTileStride;
    float most = largest[i], added = 0;
#pragma omp simd reduction(max : most)
    for (int64_t j = 0; j < n; ++j) most = most < row[j] ? row[j] : most;
#pragma omp simd reduction(+ : added)
    for (int64_t j = 0; j < n; ++j) {
      row[j] = VectorExp(row[j] - most);
      added += row[j];
    }
    factor[i] = VectorExp(largest[i] - most);
    sum[i] = sum[i] * factor[i] + added;
    largest[i] = most;
  }
}

SINGA_CPU_CLONES void ScoreGradient(int64_t rows, int64_t n, const float* __restrict log_sum,
                                    const float* __restrict delta, float* __restrict s,
                                    float* __restrict dp) {
  for (int64_t i = 0; i < rows; ++i, s += kTileStride, dp += kTileStride) {
#pragma omp simd
    for (int64_t j = 0; j < n; ++j) {
      const float p = VectorExp(s[j] - log_sum[i]);
      dp[j] = p * (dp[j] - delta[i]);
      s[j] = p;
    }
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

SINGA_CPU_CLONES void ScaleEach(int64_t rows, int64_t n, const float* __restrict factor,
                                float* __restrict x, int64_t stride) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < n; ++j) x[i * stride + j] *= factor[i];
}

SINGA_CPU_CLONES void DotEach(int64_t rows, int64_t n, const float* __restrict a, int64_t a_stride,
                              const float* __restrict b, int64_t b_stride, float* __restrict y) {
  for (int64_t i = 0; i < rows; ++i) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < n; ++j) sum += a[i * a_stride + j] * b[i * b_stride + j];
    y[i] = sum;
  }
}

}  // namespace

void CopySteps(const HeadSteps<const float>& from, const StepBlock& steps, int64_t width,
               float factor, float* to, int64_t stride) {
  CopyRows(steps.size(), width, from.At(steps.begin), from.stride, factor, to, stride);
}

void TransposeSteps(const HeadSteps<const float>& from, const StepBlock& steps, int64_t width,
                    float* to) {
  TransposeRows(from.At(steps.begin), from.stride, steps.size(), width, to, kTileStride);
}

void StoreSteps(const float* from, int64_t stride, float factor, const StepBlock& steps,
                int64_t width, const HeadSteps<float>& to) {
  CopyRows(steps.size(), width, from, stride, factor, to.At(steps.begin), to.stride);
}

void DotSteps(const HeadSteps<const float>& a, const HeadSteps<const float>& b,
              const StepBlock& steps, int64_t width, float* y) {
  DotEach(steps.size(), width, a.At(steps.begin), a.stride, b.At(steps.begin), b.stride, y);
}

void HideKeys(int64_t seen, int64_t n, float* row) {
  for (int64_t j = std::max<int64_t>(0, seen); j < n; ++j)
    row[j] = -std::numeric_limits<float>::infinity();
}

void SoftmaxRows(int64_t rows, int64_t n, float* s, float* largest, float* sum, float* factor) {
  ExpScores(rows, n, s, largest, sum, factor);
}

void SoftmaxGradientRows(int64_t rows, int64_t n, const float* log_sum, const float* delta,
                         float* s, float* dp) {
  ScoreGradient(rows, n, log_sum, delta, s, dp);
}

void DropoutRow(const AttentionDropout& dropout, uint64_t index, int64_t n, float* z) {
  DropoutMask(dropout.numbers, index / 4, n, 1 - dropout.ratio, 1 / (1 - dropout.ratio), z);
}

void MultiplyRow(const float* z, int64_t n, float* s) { MultiplyScores(z, s, n); }

void ScaleRows(int64_t rows, int64_t n, const float* factor, float* x, int64_t stride) {
  ScaleEach(rows, n, factor, x, stride);
}

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
