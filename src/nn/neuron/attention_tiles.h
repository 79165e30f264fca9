// Tiles of the CPU's vector kernels of attention. A thread computes a block of queries against a
// block of keys in its own scratch. Operands are copied there first, since rows of qkv are far
// apart. Sums run over blocks of keys, or of queries, in their order, so that the number of threads
// changes no bits.
#pragma once

#include <algorithm>

#include "base/round_up.h"
#include "math/gemm/tile_product.h"
#include "nn/neuron/attention.h"

namespace singa {

inline constexpr int64_t kQueryBlock = 48;  // rows of S
inline constexpr int64_t kKeyBlock = 192;   // columns of S
// A row of S in memory. It is an odd number of cache lines, so that columns use the whole cache.
inline constexpr int64_t kTileStride = kKeyBlock + kTileColumns;
// A block of queries reads whole tiles of a block of keys, or all of its keys. Surplus elements of
// products then belong to no key.
static_assert(kQueryBlock % kTileRows == 0 && kQueryBlock % kTileColumns == 0 &&
              kKeyBlock % kQueryBlock == 0);

constexpr int64_t BlocksOf(int64_t steps, int64_t block) { return (steps + block - 1) / block; }

// Steps [begin, end) of a block.
struct StepBlock {
  StepBlock(int64_t i, int64_t block, int64_t steps)
      : begin(i * block), end(std::min(steps, (i + 1) * block)) {}
  StepBlock(int64_t first, int64_t last) : begin(first), end(last) {}
  int64_t size() const { return end - begin; }
  int64_t begin, end;
};

// Returns how many keys of a block the last query of `queries` reads; <= 0: none. Query t reads
// KeysOf(t) - keys.begin of them.
inline int64_t KeysSeen(const AttentionShape& shape, const StepBlock& queries,
                        const StepBlock& keys) {
  return std::min(keys.end, shape.KeysOf(queries.end - 1)) - keys.begin;
}

// Copies steps of a head as rows, [steps, width] with rows of `stride`, times `factor`.
void CopySteps(const HeadSteps<const float>& from, const StepBlock& steps, int64_t width,
               float factor, float* to, int64_t stride);
// Copies them as columns, [width, steps] with rows of kTileStride.
void TransposeSteps(const HeadSteps<const float>& from, const StepBlock& steps, int64_t width,
                    float* to);
// Writes rows, times `factor`, to steps of a head.
void StoreSteps(const float* from, int64_t stride, float factor, const StepBlock& steps,
                int64_t width, const HeadSteps<float>& to);

// A row of S has n columns, a multiple of kTileColumns; the query reads the first `seen`.

// Replaces s by exp(s - largest), 0 for keys that are not read. Keeps *largest, the largest score
// so far, and *sum, the sum of exp(score - *largest). Returns the factor that turns earlier terms
// into those of the new *largest.
float SoftmaxRow(int64_t seen, int64_t n, float* s, float* largest, float* sum);

// Replaces s by P and dp by dS without the factor `scale`; with z, s by P * Z. z may be null.
void SoftmaxGradientRow(int64_t seen, int64_t n, float log_sum, float delta, const float* z,
                        float* s, float* dp);

// Writes Z of n keys, the first of which has the number `index`, a multiple of 4.
void DropoutRow(const AttentionDropout& dropout, uint64_t index, int64_t n, float* z);
void MultiplyRow(const float* z, int64_t n, float* s);
void ScaleRow(float factor, int64_t n, float* x);
float DotRows(const float* a, const float* b, int64_t n);

// AttendByFew is for at most so many queries of each head. A copy of the keys would then cost more
// than the products.
inline constexpr int64_t kFewQueries = 4;
void AttendByFew(Context& ctx, const AttentionFeature& f);

// Scratch of a thread, in floats, and its parts.
struct ForwardSpace {
  explicit ForwardSpace(const AttentionShape& shape);
  int64_t keys, values, q, s, o, z, floats;
};
struct BackwardSpace {
  explicit BackwardSpace(const AttentionShape& shape);
  int64_t q, d_o, dq, delta, keys, keys_t, values_t, dk, dv, s, dp, z, floats;
};
// Rows of a head in scratch are whole vectors.
inline int64_t RowStride(const AttentionShape& shape) { return RoundUp(shape.width, kTileColumns); }

}  // namespace singa
