// TransposeEach transposes matrices. It takes a feature from channels-last storage to logical order
// (rows = h w, cols = c) and back (rows = c, cols = h w).
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// y[i][q][p] = x[i][p][q]; x: [n, rows, cols]; y: [n, cols, rows]. x and y must not overlap.
inline constinit Kernel<void(const float* x, float* y, int64_t n, int64_t rows, int64_t cols)>
    TransposeEach{"TransposeEach"};

}  // namespace singa
