// Products of tiles of 64 x 64, by the threads of a block, for nn/neuron/attention_block.h.
#pragma once

#include "nn/neuron/attention.h"

namespace singa {

// A thread has rows row() + i and columns column + kLanes j of a tile, for i, j
// < kEach. REQUIRES: kThreads threads.
template <typename B>
class AttentionTile {
 public:
  static constexpr int kSide = 64, kDeep = 32, kEach = 4, kLanes = kSide / kEach;
  static constexpr int kThreads = kLanes * kLanes;
  // One column more avoids bank conflicts.
  struct Memory {
    float left[kSide][kDeep + 1], right[kSide][kDeep + 1];
    float s[kSide][kSide + 1];
    float part[kSide][kLanes + 1];
  };
  using Tile = float[kEach][kEach];

  SINGA_DEVICE AttentionTile(const B& b, const AttentionShape& shape)
      : block_(b), shape_(shape), memory_(b.template Shared<Memory>()) {}

  SINGA_DEVICE int row(int i) const { return block_.thread() / kLanes * kEach + i; }
  SINGA_DEVICE int column(int j) const { return block_.thread() % kLanes + kLanes * j; }
  SINGA_DEVICE bool IsFirstOfRow() const { return block_.thread() % kLanes == 0; }

  // c[i][j] = <a at step a0 + row, b at step b0 + column>.
  SINGA_DEVICE void Multiply(const HeadSteps<const float>& a, int64_t a0,
                             const HeadSteps<const float>& b, int64_t b0, Tile& c) const {
    for (int i = 0; i < kEach; ++i)
      for (int j = 0; j < kEach; ++j) c[i][j] = 0;
    for (int64_t p0 = 0; p0 < shape_.width; p0 += kDeep) {
      block_.Sync();  // others may still read the old factors
      Load(a, a0, p0, memory_.left);
      Load(b, b0, p0, memory_.right);
      block_.Sync();
      for (int p = 0; p < kDeep; ++p)
        for (int i = 0; i < kEach; ++i)
          for (int j = 0; j < kEach; ++j)
            c[i][j] += memory_.left[row(i)][p] * memory_.right[column(j)][p];
    }
  }

  // Makes c the left factor of AddTo.
  SINGA_DEVICE void Share(const Tile& c) const {
    block_.Sync();
    for (int i = 0; i < kEach; ++i)
      for (int j = 0; j < kEach; ++j) memory_.s[row(i)][column(j)] = c[i][j];
  }

  // to at step t0 + row = factor[row] times the old value plus the sum over k of s[row][k], or with
  // `transposed` s[k][row], times b at step b0 + k. With `first` the old value is not read.
  SINGA_DEVICE void AddTo(const HeadSteps<float>& to, int64_t t0, bool transposed,
                          const HeadSteps<const float>& b, int64_t b0, const float* factor,
                          bool first) const {
    for (int64_t p0 = 0; p0 < shape_.width; p0 += kDeep) {
      block_.Sync();
      Load(b, b0, p0, memory_.right);
      block_.Sync();
      float sum[kEach][2] = {};
      for (int k = 0; k < kSide; ++k)
        for (int i = 0; i < kEach; ++i) {
          const float left = transposed ? memory_.s[k][row(i)] : memory_.s[row(i)][k];
          for (int j = 0; j < 2; ++j) sum[i][j] += left * memory_.right[k][column(j)];
        }
      for (int i = 0; i < kEach; ++i)
        for (int j = 0; j < 2; ++j) {
          if (t0 + row(i) >= shape_.steps || p0 + column(j) >= shape_.width) continue;
          float* const at = to.At(t0 + row(i)) + p0 + column(j);
          *at = first ? sum[i][j] : factor[i] * *at + sum[i][j];
        }
    }
  }

  // Replace each value by the largest, or the sum, of the values that the threads of a row have.
  SINGA_DEVICE void MaxOfRows(float (&value)[kEach]) const {
    OfRows(value, [](float a, float b) { return a > b ? a : b; });
  }
  SINGA_DEVICE void SumOfRows(float (&value)[kEach]) const {
    OfRows(value, [](float a, float b) { return a + b; });
  }

 private:
  // Rows beyond the last step, and numbers beyond the width, are zeros.
  SINGA_DEVICE void Load(const HeadSteps<const float>& from, int64_t t0, int64_t p0,
                         float (&to)[kSide][kDeep + 1]) const {
    for (int at = block_.thread(); at < kSide * kDeep; at += kThreads) {
      const int r = at / kDeep, p = at % kDeep;
      const bool there = t0 + r < shape_.steps && p0 + p < shape_.width;
      to[r][p] = there ? from.At(t0 + r)[p0 + p] : 0.f;
    }
  }

  template <typename Join>
  SINGA_DEVICE void OfRows(float (&value)[kEach], const Join& join) const {
    block_.Sync();
    for (int i = 0; i < kEach; ++i) memory_.part[row(i)][column(0)] = value[i];
    block_.Sync();
    for (int i = 0; i < kEach; ++i) {
      value[i] = memory_.part[row(i)][0];
      for (int l = 1; l < kLanes; ++l) value[i] = join(value[i], memory_.part[row(i)][l]);
    }
  }

  const B& block_;
  const AttentionShape& shape_;
  Memory& memory_;
};

}  // namespace singa
