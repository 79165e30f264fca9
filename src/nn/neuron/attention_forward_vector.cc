// The CPU's fast forward kernel of attention, over the context's threads.
#include <omp.h>

#include <array>
#include <cmath>
#include <limits>

#include "nn/neuron/attention_tiles.h"

namespace singa {
namespace {

// Computes blocks of queries in the scratch of one thread.
class ForwardThread {
 public:
  ForwardThread(const AttentionFeature& f, int thread)
      : f_(f),
        shape_(f.shape),
        row_(RowStride(f.shape)),
        space_(f.shape),
        floats_(static_cast<float*>(f.scratch) + thread * space_.floats) {}

  void Compute(int64_t pair, int64_t block) {
    if (pair != packed_) Pack(pair);
    const StepBlock queries(block, kQueryBlock, shape_.steps);
    CopySteps(HeadOf(shape_, f_.qkv, pair, 0, 3), queries, shape_.width, shape_.scale(),
              At(space_.q), row_);
    largest_.fill(-std::numeric_limits<float>::infinity());
    sum_.fill(0);
    for (int64_t j = 0; j < BlocksOf(shape_.steps, kKeyBlock); ++j) {
      const StepBlock keys(j, kKeyBlock, shape_.steps);
      if (const int64_t seen = KeysSeen(shape_, queries, keys); seen > 0)
        AddKeys(pair, queries, j, seen);
    }
    Finish(pair, queries);
  }

 private:
  float* At(int64_t place) const { return floats_ + place; }
  float* KeysAt(int64_t block) const {
    return At(space_.keys) + block * shape_.width * kTileStride;
  }

  // Keys become columns, block by block; values stay rows.
  void Pack(int64_t pair) {
    const auto k = HeadOf(shape_, f_.qkv, pair, 1, 3), v = HeadOf(shape_, f_.qkv, pair, 2, 3);
    for (int64_t j = 0; j < BlocksOf(shape_.steps, kKeyBlock); ++j)
      TransposeSteps(k, StepBlock(j, kKeyBlock, shape_.steps), shape_.width, KeysAt(j));
    CopySteps(v, StepBlock(0, shape_.steps), shape_.width, 1, At(space_.values), row_);
    packed_ = pair;
  }

  // Adds the first `seen` keys of block j to the sums of the queries.
  void AddKeys(int64_t pair, const StepBlock& queries, int64_t j, int64_t seen) {
    const int64_t begin = j * kKeyBlock, columns = RoundUp(seen, kTileColumns);
    float* const s = At(space_.s);
    TileProduct(queries.size(), seen, shape_.width, {At(space_.q), row_, 1}, KeysAt(j), kTileStride,
                false, s, kTileStride);
    for (int64_t t = queries.begin; t < queries.end; ++t)
      HideKeys(std::min(seen, shape_.KeysOf(t) - begin), columns,
               s + (t - queries.begin) * kTileStride);
    std::array<float, kQueryBlock> factor;
    SoftmaxRows(queries.size(), columns, s, largest_.data(), sum_.data(), factor.data());
    if (j > 0) ScaleRows(queries.size(), shape_.width, factor.data(), At(space_.o), row_);
    if (f_.dropout.ratio > 0) Drop(pair, queries, begin, columns);
    TileProduct(queries.size(), shape_.width, seen, {s, kTileStride, 1},
                At(space_.values) + begin * row_, row_, j > 0, At(space_.o), row_);
  }

  // Multiplies P by Z, for keys from `first` on.
  void Drop(int64_t pair, const StepBlock& queries, int64_t first, int64_t columns) const {
    for (int64_t t = queries.begin; t < queries.end; ++t) {
      const auto index = f_.dropout.IndexOf(shape_, pair, t) + static_cast<uint64_t>(first);
      DropoutRow(f_.dropout, index, columns, At(space_.z));
      MultiplyRow(At(space_.z), columns, At(space_.s) + (t - queries.begin) * kTileStride);
    }
  }

  // Divides by the sums of the softmax, and stores o.
  void Finish(int64_t pair, const StepBlock& queries) const {
    std::array<float, kQueryBlock> inverse;
    for (int64_t r = 0; r < queries.size(); ++r) {
      inverse[r] = 1 / sum_[r];
      f_.log_sum[pair * shape_.steps + queries.begin + r] = largest_[r] + std::log(sum_[r]);
    }
    ScaleRows(queries.size(), shape_.width, inverse.data(), At(space_.o), row_);
    StoreSteps(At(space_.o), row_, 1, queries, shape_.width, HeadOf(shape_, f_.o, pair, 0, 1));
  }

  const AttentionFeature& f_;
  const AttentionShape& shape_;
  const int64_t row_;  // floats from row to row of a head's rows
  const ForwardSpace space_;
  float* const floats_;
  int64_t packed_ = -1;                           // pair whose keys and values are in scratch
  std::array<float, kQueryBlock> largest_, sum_;  // of the scores of each query so far
};

// The last blocks of queries have most keys and come first.
void Forward(Context& ctx, const AttentionFeature& feature) {
  AttentionFeature f = feature;
  f.dropout.numbers = InStep(f.dropout.numbers, ctx.device_state);
  if (f.shape.steps - f.first <= kFewQueries) return AttendByFew(ctx, f);
  const int64_t all = BlocksOf(f.shape.steps, kQueryBlock), blocks = all - f.first / kQueryBlock;
  const int64_t pairs = f.shape.pairs();
  const int64_t threads = std::clamp<int64_t>(ctx.threads, 1, f.threads);
  const int64_t at_a_time = pairs >= threads ? blocks : 1;
#pragma omp parallel num_threads(static_cast <int>(std::min(threads, pairs * blocks)))
  {
    ForwardThread thread(f, omp_get_thread_num());
#pragma omp for schedule(dynamic, at_a_time)
    for (int64_t i = 0; i < pairs * blocks; ++i) thread.Compute(i / blocks, all - 1 - i % blocks);
  }
}

[[maybe_unused]] const bool registered = AttentionForward.Set(Device::kCpu, Forward, Rank::kVector);

}  // namespace
}  // namespace singa
