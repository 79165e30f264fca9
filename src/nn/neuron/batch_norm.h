// What batch normalisation (Ioffe and Szegedy, 2015) computes for each channel. x, y, dy, dx:
// [rows, c], where a row is a pixel of an image, or a row of a matrix; everything else: [c].
// Sums are apart from what follows from them: the workers of a group may add theirs up in between.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// Added to variances.
inline constexpr double kBatchNormEpsilon = 1e-5;

// Rows whose sums are added up in float32 before they join the others in float64; the result does
// not depend on the number of threads.
inline constexpr int64_t kBatchBlockRows = 256;

// Floats of `partial`, which the kernels below work in.
inline int64_t BatchPartialSize(int64_t rows, int64_t c) {
  return 2 * c * ((rows + kBatchBlockRows - 1) / kBatchBlockRows);
}

// sum = sum of x, squares = sum of (x - its mean)^2, over the rows.
inline constinit Kernel<void(const float* x, double* sum, double* squares, float* partial,
                             int64_t rows, int64_t c)>
    BatchMoments{"BatchMoments"};

// The function that follows the statistics: y = max(scale x + shift, floor). floor: 0 with kReLU,
// else -infinity.
struct BatchFunction {
  const float *scale, *shift;
  float floor;
};

// y may be x.
inline constinit Kernel<void(const float* x, BatchFunction f, float* y, int64_t rows, int64_t c)>
    BatchApply{"BatchApply"};

// sum = sum of g, product = sum of g (x - mean), over the rows; g = dy where scale x + shift >
// floor, else 0.
inline constinit Kernel<void(const float* x, BatchFunction f, const float* dy, const float* mean,
                             double* sum, double* product, float* partial, int64_t rows, int64_t c)>
    BatchGradientSums{"BatchGradientSums"};

// dx = of_g g + of_x x + shift. dx may be dy.
inline constinit Kernel<void(const float* x, BatchFunction f, const float* dy, const float* of_g,
                             const float* of_x, const float* shift, float* dx, int64_t rows,
                             int64_t c)>
    BatchGradient{"BatchGradient"};

}  // namespace singa
