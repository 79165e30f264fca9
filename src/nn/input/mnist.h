// DivideSubtract is the normalisation of kMnist.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// y = x / a - b. x, y: [n].
inline constinit Kernel<void(const float* x, float* y, int64_t n, float a, float b)> DivideSubtract{
    "DivideSubtract"};

}  // namespace singa
