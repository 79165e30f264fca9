// Products for the low-rank approximation of a matrix M [rows, cols] by P Q^T, with P [rows, rank]
// and Q [cols, rank] (Vogels, Karimireddy, Jaggi, "PowerSGD", NeurIPS 2019). All matrices are in
// row-major order. The results depend on nothing but the arguments, so that all processes that have
// the same P and Q get the same bits.
#pragma once

#include <cstdint>
#include <span>

#include "singa/base/philox.h"

namespace singa {

struct LowRankShape {
  int64_t rows = 0, cols = 0, rank = 0;

  constexpr int64_t size() const { return rows * cols; }
  constexpr int64_t p_size() const { return rows * rank; }
  constexpr int64_t q_size() const { return cols * rank; }
};

// Sets P = M Q.
void TimesQ(const LowRankShape& shape, std::span<const float> m, std::span<const float> q,
            std::span<float> p);
// Sets Q = M^T P.
void TransposedTimesP(const LowRankShape& shape, std::span<const float> m, std::span<const float> p,
                      std::span<float> q);
// Sets M = P Q^T.
void Expand(const LowRankShape& shape, std::span<const float> p, std::span<const float> q,
            std::span<float> m);
// Makes the columns of P orthogonal and of length 1, by the Gram-Schmidt process. Columns that
// depend on earlier ones become 0.
void Orthonormalize(const LowRankShape& shape, std::span<float> p);
// Fills the columns of Q that are 0 with numbers of N(0, 1) of `random`. A column that is 0 would
// stay so for ever.
void RenewColumns(const LowRankShape& shape, const Philox& random, std::span<float> q);

}  // namespace singa
