// Code that the threads of a device's block run together for comm/codec/low_rank_matrices.h. A
// piece of a gradient, or a matrix, is a block's work. Each number of a gradient is read and
// written once.
#pragma once

#include <cmath>
#include <limits>

#include "comm/codec/low_rank_elements.h"
#include "comm/codec/low_rank_matrices.h"
#include "math/random/random_elements.h"

namespace singa {

// Loads piece s.
struct LoadLowRankPiece {
  const LowRankPiece* pieces;
  const StepState* state;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t s) const {
    const LowRankPiece piece = pieces[s];
    const float unscaled = 1 / state->loss_scale;
    for (int64_t i = block.thread(); i < piece.n; i += block.threads()) {
      const float x = piece.floats[i];
      if (piece.whole)
        piece.whole[i] = x;
      else
        piece.floats[i] = x * unscaled + (piece.rest ? piece.rest[i] : 0);
    }
  }
};

// Renews matrix m.
struct RenewBasis {
  const LowRankMatrix* matrices;
  const StepState* state;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t m) const {
    const LowRankMatrix one = matrices[m];
    const int64_t rank = one.shape.rank;
    Philox random = one.random;
    random.step = static_cast<uint32_t>(state->step * one.all + one.number);
    for (int64_t k = 0; k < rank; ++k) {
      float some = 0;
      for (int64_t col = block.thread(); col < one.shape.cols; col += block.threads())
        if (one.basis[col * rank + k] != 0) some = 1;
      const bool renews = block.Max(some) == 0;
      for (int64_t col = block.thread(); col < one.shape.cols; col += block.threads()) {
        const int64_t at = col * rank + k;
        one.renewed[at] = renews ? GaussianOf{0, 1}(random.Block(at / 4))[at % 4] : one.basis[at];
      }
    }
  }
};

// Makes the columns of P of matrix m orthonormal. A thread has rows of its own.
struct OrthonormalizeOne {
  const LowRankMatrix* matrices;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t m) const {
    const LowRankMatrix one = matrices[m];
    for (int64_t k = 0; k < one.shape.rank; ++k) {
      const double before = std::sqrt(Dot(block, one, k, k));
      for (int pass = 0; pass < 2; ++pass)  // as Orthonormalize does
        for (int64_t j = 0; j < k; ++j) Subtract(block, one, Dot(block, one, k, j), j, k);
      const double unit = ToUnit(std::sqrt(Dot(block, one, k, k)), before);
      for (int64_t row = block.thread(); row < one.shape.rows; row += block.threads()) {
        float& x = one.p[row * one.shape.rank + k];
        x = static_cast<float>(x * unit);
      }
    }
  }

 private:
  // Returns the product of two columns.
  template <typename B>
  static SINGA_DEVICE double Dot(const B& block, const LowRankMatrix& one, int64_t a, int64_t b) {
    double own = 0;
    for (int64_t row = block.thread(); row < one.shape.rows; row += block.threads()) {
      const float* const at = one.p + row * one.shape.rank;
      own += static_cast<double>(at[a]) * at[b];
    }
    return block.Sum(own);
  }

  // Takes `share` of column `from` out of column k.
  template <typename B>
  static SINGA_DEVICE void Subtract(const B& block, const LowRankMatrix& one, double share,
                                    int64_t from, int64_t k) {
    for (int64_t row = block.thread(); row < one.shape.rows; row += block.threads()) {
      float* const at = one.p + row * one.shape.rank;
      at[k] = static_cast<float>(at[k] - share * at[from]);
    }
  }
};

// Keeps the sum of Q of matrix m.
struct KeepBasis {
  const LowRankMatrix* matrices;
  LowRankRule rule;
  float* overflows;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t m) const {
    const LowRankMatrix one = matrices[m];
    const bool bad = rule.bad.Any(block);
    float large = 0;
    for (int64_t i = block.thread(); i < one.shape.p_size(); i += block.threads())
      if (!StaysFinite(one.p[i])) large = 1;
    for (int64_t i = block.thread(); i < one.shape.q_size(); i += block.threads())
      if (!StaysFinite(one.q[i])) large = 1;
    const bool overflows_now = block.Max(large) != 0;
    for (int64_t i = block.thread(); !bad && i < one.shape.q_size(); i += block.threads())
      one.basis[i] = overflows_now ? 0 : one.q[i];
    if (block.thread() == 0) overflows[m] = overflows_now ? 1 : 0;
  }
};

// Sets piece s to its sum.
struct ExpandLowRankPiece {
  const LowRankPiece* pieces;
  const LowRankMatrix* matrices;
  LowRankRule rule;
  const float* overflows;

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t s) const {
    const LowRankPiece piece = pieces[s];
    const bool bad = rule.bad.Any(block);
    const bool nan = rule.bad_pieces[s] != 0;
    for (int64_t i = block.thread(); i < piece.n; i += block.threads()) {
      if (nan)
        piece.floats[i] = std::numeric_limits<float>::quiet_NaN();
      else if (piece.whole)
        piece.floats[i] = piece.whole[i];
      else
        Expand(piece, i, bad);
    }
  }

 private:
  SINGA_DEVICE void Expand(const LowRankPiece& piece, int64_t i, bool bad) const {
    const LowRankMatrix& one = matrices[piece.matrix];
    const float sum = ProductAt(one.p, one.q, one.shape.cols, one.shape.rank, piece.begin + i);
    if (piece.rest && !bad)
      piece.rest[i] = overflows[piece.matrix] != 0 ? 0 : piece.floats[i] - rule.share * sum;
    piece.floats[i] = sum * rule.state->loss_scale;
  }
};

}  // namespace singa
