// The CPU's fast backward kernel of attention, over the context's threads.
#include <omp.h>

#include "nn/neuron/attention_tiles.h"

namespace singa {
namespace {

// Blocks of queries [first_query, end_query) against blocks of keys [first_key, end_key), and which
// gradients to compute of them: those of queries need all keys, those of keys all queries.
struct Part {
  int64_t first_query, end_query, first_key, end_key;
  bool of_queries, of_keys;
};

// Computes parts of gradients in the scratch of one thread.
class BackwardThread {
 public:
  BackwardThread(const AttentionGradient& g, int thread)
      : g_(g),
        shape_(g.shape),
        row_(RowStride(g.shape)),
        scale_(g.shape.scale()),
        space_(g.shape),
        floats_(static_cast<float*>(g.scratch) + thread * space_.floats) {}

  void Compute(int64_t pair, const Part& part) {
    const StepBlock queries(part.first_query * kQueryBlock,
                            std::min(shape_.steps, part.end_query * kQueryBlock));
    PackQueries(pair, queries);
    for (int64_t j = part.first_key; j < part.end_key; ++j) {
      const StepBlock keys(j, kKeyBlock, shape_.steps);
      if (KeysSeen(shape_, queries, keys) <= 0) break;
      PackKeys(pair, keys);
      for (int64_t i = part.first_query; i < part.end_query; ++i) {
        const StepBlock block(i, kQueryBlock, shape_.steps);
        const int64_t seen = KeysSeen(shape_, block, keys);
        if (seen <= 0) continue;
        Scores(pair, block, keys, seen);
        if (part.of_keys) AddToKeys(block, seen);
        if (part.of_queries) AddToQueries(block, seen, j > 0);
      }
      if (part.of_keys) StoreKeys(pair, keys);
    }
    if (part.of_queries)
      StoreSteps(Row(space_.dq, queries.begin), row_, scale_, queries, shape_.width,
                 HeadOf(shape_, g_.dqkv, pair, 0, 3));
  }

 private:
  float* At(int64_t place) const { return floats_ + place; }
  float* Row(int64_t place, int64_t t) const { return At(place) + t * row_; }

  // q is multiplied by the scale, so that S and dK need no further factor.
  void PackQueries(int64_t pair, const StepBlock& queries) const {
    const auto q = HeadOf(shape_, g_.qkv, pair, 0, 3), o = HeadOf(shape_, g_.o, pair, 0, 1),
               d_o = HeadOf(shape_, g_.d_o, pair, 0, 1);
    CopySteps(q, queries, shape_.width, scale_, Row(space_.q, queries.begin), row_);
    CopySteps(d_o, queries, shape_.width, 1, Row(space_.d_o, queries.begin), row_);
    DotSteps(d_o, o, queries, shape_.width, At(space_.delta) + queries.begin);
  }

  void PackKeys(int64_t pair, const StepBlock& keys) const {
    const auto k = HeadOf(shape_, g_.qkv, pair, 1, 3), v = HeadOf(shape_, g_.qkv, pair, 2, 3);
    CopySteps(k, keys, shape_.width, 1, At(space_.keys), row_);
    TransposeSteps(k, keys, shape_.width, At(space_.keys_t));
    TransposeSteps(v, keys, shape_.width, At(space_.values_t));
    for (const int64_t sums : {space_.dk, space_.dv})
      std::fill_n(At(sums), keys.size() * row_, 0.f);
  }

  // Computes P * Z and dS, without the scale, of a block of queries and its first `seen` keys.
  void Scores(int64_t pair, const StepBlock& queries, const StepBlock& keys, int64_t seen) const {
    float *const s = At(space_.s), *const dp = At(space_.dp);
    const int64_t columns = RoundUp(seen, kTileColumns);
    TileProduct(queries.size(), seen, shape_.width, {Row(space_.q, queries.begin), row_, 1},
                At(space_.keys_t), kTileStride, false, s, kTileStride);
    TileProduct(queries.size(), seen, shape_.width, {Row(space_.d_o, queries.begin), row_, 1},
                At(space_.values_t), kTileStride, false, dp, kTileStride);
    for (int64_t t = queries.begin; t < queries.end; ++t)
      HideKeys(std::min(seen, shape_.KeysOf(t) - keys.begin), columns,
               s + (t - queries.begin) * kTileStride);
    if (g_.dropout.ratio > 0)
      for (int64_t t = queries.begin; t < queries.end; ++t)
        DroppedScores(pair, t, keys.begin, columns, (t - queries.begin) * kTileStride);
    else
      SoftmaxGradientRows(queries.size(), columns, g_.log_sum + pair * shape_.steps + queries.begin,
                          At(space_.delta) + queries.begin, s, dp);
  }

  // Does the same of one row with dropout: dP = (dO V^T) * Z.
  void DroppedScores(int64_t pair, int64_t t, int64_t first, int64_t columns, int64_t row) const {
    float *const s = At(space_.s) + row, *const dp = At(space_.dp) + row, *const z = At(space_.z);
    DropoutRow(g_.dropout, g_.dropout.IndexOf(shape_, pair, t) + static_cast<uint64_t>(first),
               columns, z);
    MultiplyRow(z, columns, dp);
    SoftmaxGradientRows(1, columns, &g_.log_sum[pair * shape_.steps + t], At(space_.delta) + t, s,
                        dp);
    MultiplyRow(z, columns, s);
  }

  // dV += (P * Z)^T dO and dK += dS^T Q for the first `seen` keys.
  void AddToKeys(const StepBlock& queries, int64_t seen) const {
    TileProduct(seen, shape_.width, queries.size(), {At(space_.s), 1, kTileStride},
                Row(space_.d_o, queries.begin), row_, true, At(space_.dv), row_);
    TileProduct(seen, shape_.width, queries.size(), {At(space_.dp), 1, kTileStride},
                Row(space_.q, queries.begin), row_, true, At(space_.dk), row_);
  }

  void AddToQueries(const StepBlock& queries, int64_t seen, bool add) const {
    TileProduct(queries.size(), shape_.width, seen, {At(space_.dp), kTileStride, 1},
                At(space_.keys), row_, add, Row(space_.dq, queries.begin), row_);
  }

  void StoreKeys(int64_t pair, const StepBlock& keys) const {
    StoreSteps(At(space_.dk), row_, 1, keys, shape_.width, HeadOf(shape_, g_.dqkv, pair, 1, 3));
    StoreSteps(At(space_.dv), row_, 1, keys, shape_.width, HeadOf(shape_, g_.dqkv, pair, 2, 3));
  }

  const AttentionGradient& g_;
  const AttentionShape& shape_;
  const int64_t row_;  // floats from row to row of a head's rows
  const float scale_;
  const BackwardSpace space_;
  float* const floats_;
};

// Calls compute(thread, i) for each i < n, by `threads` threads that take the next i each.
template <typename Compute>
void ForEachItem(const AttentionGradient& g, int64_t threads, int64_t n, const Compute& compute) {
#pragma omp parallel num_threads(static_cast <int>(std::min(threads, n)))
  {
    BackwardThread thread(g, omp_get_thread_num());
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < n; ++i) compute(&thread, i);
  }
}

// If there are fewer pairs than threads, threads share a pair's blocks: first those of queries,
// then those of keys. Scores are then computed twice. The blocks with most work come first.
void Backward(Context& ctx, const AttentionGradient& gradient) {
  AttentionGradient g = gradient;
  g.dropout.numbers = InStep(g.dropout.numbers, ctx.device_state);
  const int64_t queries = BlocksOf(g.shape.steps, kQueryBlock), pairs = g.shape.pairs(),
                keys = BlocksOf(g.shape.steps, kKeyBlock);
  const int64_t threads = std::clamp<int64_t>(ctx.threads, 1, g.threads);
  if (pairs >= threads)
    return ForEachItem(g, threads, pairs, [=](BackwardThread* thread, int64_t pair) {
      thread->Compute(pair, {0, queries, 0, keys, true, true});
    });
  ForEachItem(g, threads, pairs * queries, [=](BackwardThread* thread, int64_t i) {
    const int64_t block = queries - 1 - i % queries;
    thread->Compute(i / queries, {block, block + 1, 0, keys, true, false});
  });
  ForEachItem(g, threads, pairs * keys, [=](BackwardThread* thread, int64_t i) {
    const int64_t block = i % keys;  // causal: no query before its keys reads them
    const int64_t first = g.shape.causal ? block * (kKeyBlock / kQueryBlock) : 0;
    thread->Compute(i / keys, {first, queries, block, block + 1, false, true});
  });
}

[[maybe_unused]] const bool registered =
    AttentionBackward.Set(Device::kCpu, Backward, Rank::kVector);

}  // namespace
}  // namespace singa
