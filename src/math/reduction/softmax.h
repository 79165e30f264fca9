// Computes softmax over each row of a matrix.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// y[i][j] = exp(x[i][j]) / sum_k exp(x[i][k]); x, y: [n, d]; y may be x. A NaN, a +infinity or a
// row of -infinity gives a row of NaN.
inline constinit Kernel<void(const float* x, float* y, int64_t n, int64_t d)> SoftmaxForward{
    "SoftmaxForward"};
// dx[i] = y[i] (dy[i] - <y[i], dy[i]>); y, dy, dx: [n, d]; dx may be dy.
inline constinit Kernel<void(const float* y, const float* dy, float* dx, int64_t n, int64_t d)>
    SoftmaxBackward{"SoftmaxBackward"};

}  // namespace singa
