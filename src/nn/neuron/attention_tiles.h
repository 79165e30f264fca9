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

// y[i] = <a, b> at step i of the block.
void DotSteps(const HeadSteps<const float>& a, const HeadSteps<const float>& b,
              const StepBlock& steps, int64_t width, float* y);

// A row of S has n columns, a multiple of kTileColumns. Rows are kTileStride apart.

// Gives the columns from `seen` on the score -infinity: the query does not read these keys.
void HideKeys(int64_t seen, int64_t n, float* row);

// Replaces each row of s by exp(s - largest[i]). Keeps largest[i], the largest score so far of row
// i, and sum[i], the sum of exp(score - largest[i]). factor[i] becomes the factor that turns
// earlier terms into those of the new largest[i].
void SoftmaxRows(int64_t rows, int64_t n, float* s, float* largest, float* sum, float* factor);

// Replaces s by P and dp, the gradient of P, by dS without the factor `scale`.
void SoftmaxGradientRows(int64_t rows, int64_t n, const float* log_sum, const float* delta,
                         float* s, float* dp);

// Writes Z of n keys, the first of which has the number `index`, a multiple of 4.
void DropoutRow(const AttentionDropout& dropout, uint64_t index, int64_t n, float* z);
void MultiplyRow(const float* z, int64_t n, float* s);
// Multiplies row i of x by factor[i].
void ScaleRows(int64_t rows, int64_t n, const float* factor, float* x, int64_t stride);

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
