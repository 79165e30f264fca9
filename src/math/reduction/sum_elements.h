// The terms of math/reduction/sum.h, and of a device's checks of gradients.
#pragma once

#include <bit>

#include "math/elementwise/map.h"
#include "math/reduction/sum_block.h"

namespace singa {

struct NumberTerm {
  const float* x;
  SINGA_HD Sums<1> operator()(int64_t i) const { return {x[i]}; }
};

struct AddSumToCell {
  double* cell;
  double weight;
  SINGA_HD void operator()(int64_t, const Sums<1>& sums) const {
    cell[0] += sums[0];
    cell[1] += weight;
  }
};

// Loads elements [4 q, 4 q + 4) of x[n], and zeros beyond its end.
struct LoadFour {
  const float* x;
  int64_t n;
  bool aligned;  // AlignedTo<4>(x)

  SINGA_HD Four operator()(int64_t q) const {
    if (aligned && 4 * q + 4 <= n) return reinterpret_cast<const Four*>(x)[q];
    Four four = {};
    for (int k = 0; k < 4; ++k)
      if (4 * q + k < n) four[k] = x[4 * q + k];
    return four;
  }
};

// Returns the sum of squares of four numbers.
struct SquaresTerm {
  LoadFour load;
  SINGA_HD Sums<1> operator()(int64_t q) const {
    const Four four = load(q);
    double sum = 0;
    for (float v : four.of) sum += static_cast<double>(v) * v;
    return {sum};
  }
};

// Clears the flag if one of four numbers is an infinity or NaN. All threads that write it write the
// same value.
struct ClearIfBad {
  LoadFour load;
  bool* finite;
  SINGA_HD void operator()(int64_t q) const {
    constexpr uint32_t kExponent = 0x7F800000;
    const Four four = load(q);
    bool bad = false;
    for (float v : four.of) bad |= (std::bit_cast<uint32_t>(v) & kExponent) == kExponent;
    if (bad) *finite = false;
  }
};

}  // namespace singa
