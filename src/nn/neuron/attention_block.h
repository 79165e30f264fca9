// Device code of the kernels of nn/neuron/attention.h. A block does a tile of 64 queries or keys of
// one head against all tiles of the other kind. Each sum has a fixed order.
#pragma once

#include <cmath>

#include "nn/neuron/attention_block_tile.h"

namespace singa {

inline constexpr int kAttentionSide = 64, kAttentionThreads = 256;

SINGA_HD constexpr int64_t AttentionTiles(int64_t steps) {
  return (steps + kAttentionSide - 1) / kAttentionSide;
}
// Returns the end of the tiles of keys that a tile of queries reads.
SINGA_HD inline int64_t KeyTilesOf(const AttentionShape& shape, int64_t query_tile) {
  return shape.causal ? query_tile + 1 : AttentionTiles(shape.steps);
}

// Returns the number of tiles with a query whose output is wanted.
SINGA_HD inline int64_t AttentionQueryTiles(const AttentionFeature& f) {
  return AttentionTiles(f.shape.steps) - f.first / kAttentionSide;
}

// Tile i % tiles of the wanted queries of pair i / tiles.
struct AttentionForwardTile {
  AttentionFeature f;
  const StepState* state;  // if not null, its step counts

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    using T = AttentionTile<B>;
    const AttentionShape& shape = f.shape;
    const T tile(block, shape);
    const int64_t tiles = AttentionQueryTiles(f), pair = i / tiles,
                  query_tile = f.first / kAttentionSide + i % tiles, t0 = query_tile * T::kSide;
    const auto q = HeadOf(shape, f.qkv, pair, 0, 3), k = HeadOf(shape, f.qkv, pair, 1, 3),
               v = HeadOf(shape, f.qkv, pair, 2, 3);
    const auto o = HeadOf(shape, f.o, pair, 0, 1);
    float largest[T::kEach], sum[T::kEach] = {};
    for (float& x : largest) x = -INFINITY;
    for (int64_t s0 = 0; s0 < KeyTilesOf(shape, query_tile) * T::kSide; s0 += T::kSide) {
      typename T::Tile s;
      float factor[T::kEach];
      tile.Multiply(q, t0, k, s0, s);
      Softmax(tile, t0, s0, s, largest, sum, factor);
      Drop(tile, pair, t0, s0, s);
      tile.Share(s);
      tile.AddTo(o, t0, false, v, s0, factor, s0 == 0);
    }
    Finish(tile, pair, t0, o, largest, sum);
  }

  // Replaces scores by exp(score - largest).
  template <typename T>
  SINGA_DEVICE void Softmax(const T& tile, int64_t t0, int64_t s0, typename T::Tile& s,
                            float (&largest)[T::kEach], float (&sum)[T::kEach],
                            float (&factor)[T::kEach]) const {
    float most[T::kEach], added[T::kEach] = {};
    for (int i = 0; i < T::kEach; ++i) {
      const int64_t keys = KeysOfRow(t0 + tile.row(i));
      most[i] = largest[i];
      for (int j = 0; j < T::kEach; ++j) {
        s[i][j] = s0 + tile.column(j) < keys ? f.shape.scale() * s[i][j] : -INFINITY;
        most[i] = s[i][j] > most[i] ? s[i][j] : most[i];
      }
    }
    tile.MaxOfRows(most);
    for (int i = 0; i < T::kEach; ++i)
      for (int j = 0; j < T::kEach; ++j) added[i] += s[i][j] = std::exp(s[i][j] - most[i]);
    tile.SumOfRows(added);
    for (int i = 0; i < T::kEach; ++i) {
      factor[i] = std::exp(largest[i] - most[i]);
      sum[i] = sum[i] * factor[i] + added[i];
      largest[i] = most[i];
    }
  }

  // A row beyond the last step reads the keys of the last.
  SINGA_HD int64_t KeysOfRow(int64_t t) const {
    return f.shape.KeysOf(t < f.shape.steps ? t : f.shape.steps - 1);
  }

  template <typename T>
  SINGA_DEVICE void Drop(const T& tile, int64_t pair, int64_t t0, int64_t s0,
                         typename T::Tile& s) const {
    if (f.dropout.ratio == 0) return;
    AttentionDropout dropout = f.dropout;
    dropout.numbers = InStep(dropout.numbers, state);
    for (int i = 0; i < T::kEach; ++i) {
      const uint64_t index = dropout.IndexOf(f.shape, pair, t0 + tile.row(i));
      for (int j = 0; j < T::kEach; ++j) s[i][j] *= dropout.At(index, s0 + tile.column(j));
    }
  }

  // Divides each o by the sum of its softmax.
  template <typename T>
  SINGA_DEVICE void Finish(const T& tile, int64_t pair, int64_t t0, const HeadSteps<float>& o,
                           const float (&largest)[T::kEach], const float (&sum)[T::kEach]) const {
    for (int i = 0; i < T::kEach; ++i) {
      const int64_t t = t0 + tile.row(i);
      if (t >= f.shape.steps) continue;
      if (tile.IsFirstOfRow()) f.log_sum[pair * f.shape.steps + t] = largest[i] + std::log(sum[i]);
      // These are the elements that this thread has written.
      for (int64_t p0 = 0; p0 < f.shape.width; p0 += T::kDeep)
        for (int j = 0; j < 2; ++j)
          if (p0 + tile.column(j) < f.shape.width) o.At(t)[p0 + tile.column(j)] /= sum[i];
    }
  }
};

// D of step i % T of pair i / T, by a warp.
struct AttentionDelta {
  AttentionGradient g;
  float* delta;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    const int64_t pair = i / g.shape.steps, t = i % g.shape.steps;
    const float* const o = HeadOf(g.shape, g.o, pair, 0, 1).At(t);
    const float* const d_o = HeadOf(g.shape, g.d_o, pair, 0, 1).At(t);
    float sum = 0;
    for (int64_t j = block.thread(); j < g.shape.width; j += block.threads()) sum += o[j] * d_o[j];
    sum = block.Sum(sum);
    if (block.thread() == 0) delta[i] = sum;
  }
};

// Computes p = P * Z and ds of queries from t0 and keys from s0, for the tiles of both gradients.
struct AttentionScores {
  AttentionGradient g;
  const float* delta;
  const StepState* state;

  template <typename T>
  SINGA_DEVICE void Compute(const T& tile, int64_t pair, int64_t t0, int64_t s0,
                            typename T::Tile& p, typename T::Tile& ds) const {
    const AttentionShape& shape = g.shape;
    const float scale = shape.scale();
    tile.Multiply(HeadOf(shape, g.qkv, pair, 0, 3), t0, HeadOf(shape, g.qkv, pair, 1, 3), s0, p);
    tile.Multiply(HeadOf(shape, g.d_o, pair, 0, 1), t0, HeadOf(shape, g.qkv, pair, 2, 3), s0, ds);
    AttentionDropout dropout = g.dropout;
    dropout.numbers = InStep(dropout.numbers, state);
    for (int i = 0; i < T::kEach; ++i) {
      const int64_t t = t0 + tile.row(i);
      const int64_t keys = t < shape.steps ? shape.KeysOf(t) : 0;
      const uint64_t index = dropout.IndexOf(shape, pair, t);
      for (int j = 0; j < T::kEach; ++j) {
        const int64_t s = s0 + tile.column(j);
        if (s >= keys) {
          p[i][j] = ds[i][j] = 0;
          continue;
        }
        const float z = dropout.At(index, s);
        const float weight = std::exp(scale * p[i][j] - g.log_sum[pair * shape.steps + t]);
        ds[i][j] = scale * weight * (ds[i][j] * z - delta[pair * shape.steps + t]);
        p[i][j] = weight * z;
      }
    }
  }
};

struct AttentionQueryGradientTile {
  AttentionScores scores;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    using T = AttentionTile<B>;
    const AttentionGradient& g = scores.g;
    const T tile(block, g.shape);
    const int64_t tiles = AttentionTiles(g.shape.steps), pair = i / tiles,
                  t0 = i % tiles * T::kSide;
    const auto k = HeadOf(g.shape, g.qkv, pair, 1, 3);
    const auto dq = HeadOf(g.shape, g.dqkv, pair, 0, 3);
    const float ones[T::kEach] = {1, 1, 1, 1};
    for (int64_t s0 = 0; s0 < KeyTilesOf(g.shape, i % tiles) * T::kSide; s0 += T::kSide) {
      typename T::Tile p, ds;
      scores.Compute(tile, pair, t0, s0, p, ds);
      tile.Share(ds);
      tile.AddTo(dq, t0, false, k, s0, ones, s0 == 0);
    }
  }
};

struct AttentionKeyGradientTile {
  AttentionScores scores;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    using T = AttentionTile<B>;
    const AttentionGradient& g = scores.g;
    const T tile(block, g.shape);
    const int64_t tiles = AttentionTiles(g.shape.steps), pair = i / tiles,
                  s0 = i % tiles * T::kSide, first = g.shape.causal ? s0 : 0;
    const auto q = HeadOf(g.shape, g.qkv, pair, 0, 3), d_o = HeadOf(g.shape, g.d_o, pair, 0, 1);
    const auto dk = HeadOf(g.shape, g.dqkv, pair, 1, 3), dv = HeadOf(g.shape, g.dqkv, pair, 2, 3);
    const float ones[T::kEach] = {1, 1, 1, 1};
    for (int64_t t0 = first; t0 < g.shape.steps; t0 += T::kSide) {
      typename T::Tile p, ds;
      scores.Compute(tile, pair, t0, s0, p, ds);
      tile.Share(p);
      tile.AddTo(dv, s0, true, d_o, t0, ones, t0 == first);
      tile.Share(ds);
      tile.AddTo(dk, s0, true, q, t0, ones, t0 == first);
    }
  }
};

}  // namespace singa
