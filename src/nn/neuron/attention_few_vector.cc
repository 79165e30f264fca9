// AttendByFew is for few queries of each head, as when a text is written step by step. Keys and
// values are read where they lie.
#include <cmath>
#include <limits>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/attention_tiles.h"

namespace singa {
namespace {

// s[i] = <q, key i>, for n keys.
SINGA_CPU_CLONES void ScoreKeys(const float* __restrict q, const float* __restrict keys,
                                int64_t stride, int64_t n, int64_t width, float* __restrict s) {
  for (int64_t i = 0; i < n; ++i, keys += stride) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < width; ++j) sum += q[j] * keys[j];
    s[i] = sum;
  }
}

// o = factor times the sum of p[i] value i, for n values.
SINGA_CPU_CLONES void AddUpValues(const float* __restrict p, const float* __restrict values,
                                  int64_t stride, int64_t n, int64_t width, float factor,
                                  float* __restrict o) {
  for (int64_t j = 0; j < width; ++j) o[j] = 0;
  for (int64_t i = 0; i < n; ++i, values += stride)
    for (int64_t j = 0; j < width; ++j) o[j] += p[i] * values[j];
  for (int64_t j = 0; j < width; ++j) o[j] *= factor;
}

// Computes o and log_sum of step t. p, z: scratch, a number for each key, in whole vectors.
void AttendOnce(const AttentionFeature& f, int64_t pair, int64_t t, float* p, float* z) {
  const AttentionShape& shape = f.shape;
  const auto q = HeadOf(shape, f.qkv, pair, 0, 3), k = HeadOf(shape, f.qkv, pair, 1, 3),
             v = HeadOf(shape, f.qkv, pair, 2, 3);
  const int64_t keys = shape.KeysOf(t), columns = RoundUp(keys, kTileColumns);
  const float scale = shape.scale();
  float largest = -std::numeric_limits<float>::infinity(), sum = 0, factor;
  ScoreKeys(q.At(t), k.data, k.stride, keys, shape.width, p);
  ScaleRows(1, keys, &scale, p, 0);
  HideKeys(keys, columns, p);
  SoftmaxRows(1, columns, p, &largest, &sum, &factor);
  if (f.dropout.ratio > 0) {
    DropoutRow(f.dropout, f.dropout.IndexOf(shape, pair, t), columns, z);
    MultiplyRow(z, columns, p);
  }
  AddUpValues(p, v.data, v.stride, keys, shape.width, 1 / sum,
              HeadOf(shape, f.o, pair, 0, 1).At(t));
  f.log_sum[pair * shape.steps + t] = largest + std::log(sum);
}

}  // namespace

void AttendByFew(Context& ctx, const AttentionFeature& f) {
  const ForwardSpace space(f.shape);
  const int64_t work = (f.shape.steps - f.first) * f.shape.steps * f.shape.width;  // of a head
  Context own = ctx;
  own.threads = std::min(ctx.threads, f.threads);  // each has scratch
  ParallelSlices(own, f.shape.pairs() * work, work, [&](int64_t begin, int64_t end, int64_t slice) {
    float* const floats = static_cast<float*>(f.scratch) + slice * space.floats;
    for (int64_t pair = begin / work; pair < end / work; ++pair)
      for (int64_t t = f.first; t < f.shape.steps; ++t)
        AttendOnce(f, pair, t, floats + space.keys, floats + space.values);
  });
}

}  // namespace singa
