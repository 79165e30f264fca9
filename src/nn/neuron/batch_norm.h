// Kernels of batch normalisation (Ioffe and Szegedy, 2015) of each channel. x, y, dy, dx: [rows,
// c]; a row is a pixel of an image, or a row of a matrix. Everything else: [c]. Sums have their own
// kernels, so that the workers of a group can add them up. gamma and beta are the params.
#pragma once

#include "singa/tensor/kernel.h"
#include "tensor/kernel/host_device.h"

namespace singa {

// epsilon is added to variances. momentum is the weight of the old running statistics in a step.
struct BatchSettings {
  double momentum, epsilon;
};

// Number of rows whose sums are added up in float32; sums of such blocks are added in float64. The
// result does not depend on the number of threads.
inline constexpr int64_t kBatchBlockRows = 256;

// Returns the number of floats of `partial`, the scratch memory of the kernels below.
inline int64_t BatchPartialSize(int64_t rows, int64_t c) {
  return 2 * c * ((rows + kBatchBlockRows - 1) / kBatchBlockRows);
}

// sum = sum of x, squares = sum of (x - its mean)^2, over the rows.
inline constinit Kernel<void(const float* x, double* sum, double* squares, float* partial,
                             int64_t rows, int64_t c)>
    BatchMoments{"BatchMoments"};

// The function of a channel: y = max(scale x + shift, floor). floor: 0 with kReLU, else -infinity.
struct BatchFunction {
  const float *scale, *shift;
  float floor;
};

// Statistics of the batch for both passes: mean m, inverse 1 / sqrt(v + epsilon), and the
// function's scale and shift.
struct BatchState {
  float *mean, *inverse, *scale, *shift;
};

// Number of rows that sums are over: the worker's own or, in a group, *of_group.
struct BatchRows {
  double own;
  const double* of_group;  // null: no group

  SINGA_HD double count() const { return of_group ? *of_group : own; }
};

// Computes the state from the moments of `rows` rows. Updates the running mean and variance of each
// channel whose squares are finite.
inline constinit Kernel<void(const double* sum, const double* squares, BatchRows rows,
                             BatchSettings settings, const float* gamma, const float* beta,
                             BatchState state, float* running_mean, float* running_variance,
                             int64_t c)>
    BatchStatistics{"BatchStatistics"};

// Computes scale and shift from the running statistics.
inline constinit Kernel<void(const float* running_mean, const float* running_variance,
                             double epsilon, const float* gamma, const float* beta, float* scale,
                             float* shift, int64_t c)>
    BatchRunningFunction{"BatchRunningFunction"};

// Prepares a worker's moments for the group's sum: mean = sum / rows, sum[c] = rows. sum: [c + 1].
inline constinit Kernel<void(double* sum, double* mean, int64_t rows, int64_t c)> BatchOwnMean{
    "BatchOwnMean"};
// Turns a worker's squares about its own mean into squares about the group's mean: squares += rows
// (mean - sum / sum[c])^2. sum: [c + 1], the group's.
inline constinit Kernel<void(const double* sum, const double* mean, double* squares, int64_t rows,
                             int64_t c)>
    BatchAboutGroupMean{"BatchAboutGroupMean"};

// Computes y by `f`. y may be x.
inline constinit Kernel<void(const float* x, BatchFunction f, float* y, int64_t rows, int64_t c)>
    BatchApply{"BatchApply"};

// sum = sum of g, product = sum of g (x - mean), over the rows; g = dy where scale x + shift >
// floor, else 0.
inline constinit Kernel<void(const float* x, BatchFunction f, const float* dy, const float* mean,
                             double* sum, double* product, float* partial, int64_t rows, int64_t c)>
    BatchGradientSums{"BatchGradientSums"};

// dgamma = of_dgamma dgamma + product inverse, dbeta = of_dbeta dbeta + sum. The factors are
// Param::beta, 0 or 1; with 0 the old gradient is not read. dgamma and dbeta may be null.
inline constinit Kernel<void(const double* sum, const double* product, const float* inverse,
                             float* dgamma, float of_dgamma, float* dbeta, float of_dbeta,
                             int64_t c)>
    BatchParamGradients{"BatchParamGradients"};

// Computes the factors and the shift of BatchGradient from the sums over all `rows` rows.
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
