// Adds a sum to a metric's cell, on the device that has the cell.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// cell[0] += sum of x[i], cell[1] += weight; x: [n]. Added in float64, in order.
inline constinit Kernel<void(const float* x, double* cell, int64_t n, double weight)> AddSum{
    "AddSum"};

}  // namespace singa
