// Cross-entropy of probabilities and labels.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// *sum += sum over rows i of -log max(p[i][label[i]], FLT_MIN). p: [n, d].
inline constinit Kernel<void(const float* p, const int32_t* label, double* sum, int64_t n,
                             int64_t d)>
    CrossEntropy{"CrossEntropy"};

// dx[i][j] = scale (p[i][j] - [j == label[i]]), the gradient of scale times the cross-entropy of
// softmax(x) = p. p, dx: [n, d].
inline constinit Kernel<void(const float* p, const int32_t* label, float* dx, int64_t n, int64_t d,
                             float scale)>
    SoftmaxLossBackward{"SoftmaxLossBackward"};

}  // namespace singa
