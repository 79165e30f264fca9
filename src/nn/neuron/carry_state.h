// CarryState keeps a recurrent layer's last state for the next batch.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// carried_h = h, carried_c = c. A row with an infinity or NaN in h or c becomes 0 in both. All:
// [rows, d]; c and carried_c may be null.
inline constinit Kernel<void(const float* h, const float* c, float* carried_h, float* carried_c,
                             int64_t rows, int64_t d)>
    CarryState{"CarryState"};

}  // namespace singa
