// DrawIndex draws an index by its probability.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// index[i] = j with probability proportional to p[i][j]^power, by the uniform number u[i] in [0,
// 1); p: [n, d], none negative, not all 0 in a row; index, u: [n].
inline constinit Kernel<void(const float* p, const float* u, float power, float* index, int64_t n,
                             int64_t d)>
    DrawIndex{"DrawIndex"};

}  // namespace singa
