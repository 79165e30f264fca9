// Two questions to ask of a gradient before it is applied.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// *finite: whether none of x[n] is an infinity or NaN.
inline constinit Kernel<void(const float* x, int64_t n, bool* finite)> AllFiniteKernel{"AllFinite"};
// *sum: of x[i]^2, in float64, in an order that n alone decides.
inline constinit Kernel<void(const float* x, int64_t n, double* sum)> SumOfSquaresKernel{
    "SumOfSquares"};

inline bool AllFinite(Context& ctx, const float* x, int64_t n) {
  bool finite = true;
  AllFiniteKernel(ctx, x, n, &finite);
  return finite;
}

inline double SumOfSquares(Context& ctx, const float* x, int64_t n) {
  double sum = 0;
  SumOfSquaresKernel(ctx, x, n, &sum);
  return sum;
}

}  // namespace singa
