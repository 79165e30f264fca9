// What batch normalisation (Ioffe and Szegedy, 2015) computes for each channel. x, y, dy, dx:
// [rows, c], where a row is a pixel of an image, or a row of a matrix; everything else: [c].
// Sums are apart from what follows from them: the workers of a group may add theirs up in between.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// Rows whose sums are added up in float32 before they join the others in float64; the result does
// not depend on the number of threads.
inline constexpr int64_t kBatchBlockRows = 256;

// Floats of `partial`, which the kernels below work in.
inline int64_t BatchPartialSize(int64_t rows, int64_t c) {
  return 2 * c * ((rows + kBatchBlockRows - 1) / kBatchBlockRows);
}

// sum = sum of x over the rows.
inline constinit Kernel<void(const float* x, double* sum, float* partial, int64_t rows, int64_t c)>
    BatchSum{"BatchSum"};

// sum = sum of (x - mean)^2 over the rows.
inline constinit Kernel<void(const float* x, const float* mean, double* sum, float* partial,
                             int64_t rows, int64_t c)>
    BatchSquares{"BatchSquares"};

// y = scale x + shift. y may be x.
inline constinit Kernel<void(const float* x, const float* scale, const float* shift, float* y,
                             int64_t rows, int64_t c)>
    BatchAffine{"BatchAffine"};

// sum = sum of dy, product = sum of dy (x - mean), over the rows.
inline constinit Kernel<void(const float* x, const float* dy, const float* mean, double* sum,
                             double* product, float* partial, int64_t rows, int64_t c)>
    BatchGradientSums{"BatchGradientSums"};

// dx = of_dy dy + of_x x + shift. dx may be dy.
inline constinit Kernel<void(const float* x, const float* dy, const float* of_dy, const float* of_x,
                             const float* shift, float* dx, int64_t rows, int64_t c)>
    BatchGradient{"BatchGradient"};

}  // namespace singa
