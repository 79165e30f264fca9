// Kernels of kSoftmaxLoss: the cross-entropy of probabilities and labels.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// Targets are q[i][j] = (1 - smoothing) [j == label[i]] + smoothing / d, the label smoothing of
// Szegedy et al., Rethinking the Inception Architecture, 2016. p, dx: [n, d]; smoothing: in [0, 1).

// Rows whose label is `ignored` do not count. kNoneIgnored (math/reduction/top_k.h): all rows
// count.

// cell[0] += factor times the sum over i, j of -q[i][j] log max(p[i][j], FLT_MIN). cell[1] += the
// number of rows that count.
inline constinit Kernel<void(const float* p, const int32_t* label, int64_t ignored, double* cell,
                             int64_t n, int64_t d, float smoothing, double factor)>
    CrossEntropy{"CrossEntropy"};

// dx[i][j] = scale (p[i][j] - q[i][j]), the gradient of scale times the cross-entropy of
// softmax(x) = p.
inline constinit Kernel<void(const float* p, const int32_t* label, int64_t ignored, float* dx,
                             int64_t n, int64_t d, float scale, float smoothing)>
    SoftmaxLossBackward{"SoftmaxLossBackward"};

}  // namespace singa
