// What batch normalisation (Ioffe and Szegedy, 2015) computes for each channel. x, y, dy, dx:
// [rows, c], where a row is a pixel of an image, or a row of a matrix; everything else: [c].
// Sums are apart from what follows from them: the workers of a group may add theirs up in between.
// gamma and beta: the params.
#pragma once

#include "singa/tensor/kernel.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// Added to variances; and what running statistics keep of themselves in a step.
inline constexpr double kBatchNormEpsilon = 1e-5, kBatchNormMomentum = 0.9;

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

// Of the batch, for both passes: mean m, inverse 1 / sqrt(v + epsilon), and the function's scale
// and shift.
struct BatchState {
  float *mean, *inverse, *scale, *shift;
};

// How many rows sums are of: the worker's own or, in a group, what of_group points to.
struct BatchRows {
  double own;
  const double* of_group;  // null: there is none

  SINGA_HD double count() const { return of_group ? *of_group : own; }
};

// The state that follows from the moments of `rows` rows; and the running mean and variance after
// it, which move by 1 - momentum where the squares are finite.
inline constinit Kernel<void(const double* sum, const double* squares, BatchRows rows,
                             const float* gamma, const float* beta, BatchState state,
                             float* running_mean, float* running_variance, int64_t c)>
    BatchStatistics{"BatchStatistics"};

// scale and shift as the running statistics make them.
inline constinit Kernel<void(const float* running_mean, const float* running_variance,
                             const float* gamma, const float* beta, float* scale, float* shift,
                             int64_t c)>
    BatchRunningFunction{"BatchRunningFunction"};

// Of a worker's moments, before the group adds up: mean = sum / rows, sum[c] = rows. sum: [c + 1].
inline constinit Kernel<void(double* sum, double* mean, int64_t rows, int64_t c)> BatchOwnMean{
    "BatchOwnMean"};
// From a worker's squares about its own mean to those about the group's, of whose rows sum: [c + 1]
// is: squares += rows (mean - sum / sum[c])^2.
inline constinit Kernel<void(const double* sum, const double* mean, double* squares, int64_t rows,
                             int64_t c)>
    BatchAboutGroupMean{"BatchAboutGroupMean"};

// y may be x.
inline constinit Kernel<void(const float* x, BatchFunction f, float* y, int64_t rows, int64_t c)>
    BatchApply{"BatchApply"};

// sum = sum of g, product = sum of g (x - mean), over the rows; g = dy where scale x + shift >
// floor, else 0.
inline constinit Kernel<void(const float* x, BatchFunction f, const float* dy, const float* mean,
                             double* sum, double* product, float* partial, int64_t rows, int64_t c)>
    BatchGradientSums{"BatchGradientSums"};

// dgamma = old dgamma + product inverse, dbeta = old dbeta + sum; an old one is 0, and not read,
// where its factor (Param::beta) is 0, which else is 1. Either may be null.
inline constinit Kernel<void(const double* sum, const double* product, const float* inverse,
                             float* dgamma, float of_dgamma, float* dbeta, float of_dbeta,
                             int64_t c)>
    BatchParamGradients{"BatchParamGradients"};

// What the next one takes, from the sums over all `rows` rows.
inline constinit Kernel<void(const double* sum, const double* product, BatchRows rows,
                             const float* gamma, BatchState state, float* of_g, float* of_x,
                             float* shift, int64_t c)>
    BatchGradientFactors{"BatchGradientFactors"};

// dx = of_g g + of_x x + shift. dx may be dy.
inline constinit Kernel<void(const float* x, BatchFunction f, const float* dy, const float* of_g,
                             const float* of_x, const float* shift, float* dx, int64_t rows,
                             int64_t c)>
    BatchGradient{"BatchGradient"};

}  // namespace singa
