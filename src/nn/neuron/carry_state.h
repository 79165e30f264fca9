// What a recurrent layer keeps of a batch for the next.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// carried_h = h, carried_c = c; a row is 0 in both where any number of it is an infinity or NaN.
// All: [rows, d]; c and carried_c may be null.
inline constinit Kernel<void(const float* h, const float* c, float* carried_h, float* carried_c,
                             int64_t rows, int64_t d)>
    CarryState{"CarryState"};

}  // namespace singa
