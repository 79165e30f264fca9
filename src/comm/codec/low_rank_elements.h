// The numbers of kPowerSGD, for one element: on the host (low_rank.h) and on devices
// (low_rank_matrices.h).
#pragma once

#include <cstdint>

#include "tensor/kernel/host_device.h"

namespace singa {

// Returns whether products with some thousand columns of such numbers are finite.
SINGA_HD inline bool StaysFinite(float x) {
  constexpr float kMost = 1e34f;
  return x > -kMost && x < kMost;
}

// The share of a column's length that is left when earlier columns are taken out of it, of columns
// that are independent.
inline constexpr double kLeastLeft = 1e-6;

// Returns the factor that gives a column of `length` the length 1; 0 if it was `before` long, and
// depends on earlier columns.
SINGA_HD inline double ToUnit(double length, double before) {
  return length > kLeastLeft * before ? 1 / length : 0;
}

// Returns element `at` of P Q^T, with rows of `cols`.
SINGA_HD inline float ProductAt(const float* p, const float* q, int64_t cols, int64_t rank,
                                int64_t at) {
  const float* const row = p + at / cols * rank;
  const float* const column = q + at % cols * rank;
  float sum = 0;
  for (int64_t k = 0; k < rank; ++k) sum += row[k] * column[k];
  return sum;
}

}  // namespace singa
