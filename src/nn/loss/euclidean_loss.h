// Kernels of kEuclideanLoss. x, t, dx: [n, d].
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// distance[i] = sum over j of (x[i, j] - t[i, j])^2, summed in float64; distance: [n].
inline constinit Kernel<void(const float* x, const float* t, float* distance, int64_t n, int64_t d)>
    SquaredDistance{"SquaredDistance"};

// cell[0] += sum of |x - t|, cell[1] += n, the number of elements.
inline constinit Kernel<void(const float* x, const float* t, double* cell, int64_t n)>
    SumAbsoluteDifference{"SumAbsoluteDifference"};

// dx = scale (x - t), of n elements. dx may be x.
inline constinit Kernel<void(const float* x, const float* t, float* dx, int64_t n, float scale)>
    ScaledDifference{"ScaledDifference"};

}  // namespace singa
