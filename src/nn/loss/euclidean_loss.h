// Kernels of kEuclideanLoss. x, t, dx: [n, d].
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// distance[i] = sum over j of (x[i, j] - t[i, j])^2, absolute[i] = sum over j of |x[i, j] - t[i,
// j]|, both summed in float64. distance, absolute: [n]; `absolute` may be null.
inline constinit Kernel<void(const float* x, const float* t, float* distance, float* absolute,
                             int64_t n, int64_t d)>
    RowDistances{"RowDistances"};

// dx = scale (x - t), of n elements. dx may be x.
inline constinit Kernel<void(const float* x, const float* t, float* dx, int64_t n, float scale)>
    ScaledDifference{"ScaledDifference"};

}  // namespace singa
