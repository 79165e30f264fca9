// OneHot, the kernel of kOneHot, turns an index into a row of zeros with a single one.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// y[r][j] = 1 where first + j is index[r], else 0. index: [n], whole numbers; y: [n, d].
inline constinit Kernel<void(const float* index, float* y, int64_t n, int64_t d, int64_t first)>
    OneHot{"OneHot"};

}  // namespace singa
