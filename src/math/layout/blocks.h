// Copies, adds and zeroes blocks of floats that lie at regular distances.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// y[i y_stride + j] = x[i x_stride + j] for i < n, j < size. x and y must not overlap.
inline constinit Kernel<void(const float* x, int64_t x_stride, float* y, int64_t y_stride,
                             int64_t n, int64_t size)>
    CopyBlocks{"CopyBlocks"};

// y[i y_stride + j] += x[i x_stride + j].
inline constinit Kernel<void(const float* x, int64_t x_stride, float* y, int64_t y_stride,
                             int64_t n, int64_t size)>
    AddBlocks{"AddBlocks"};

// y[i stride + j] = 0.
inline constinit Kernel<void(float* y, int64_t stride, int64_t n, int64_t size)> ZeroBlocks{
    "ZeroBlocks"};

}  // namespace singa
