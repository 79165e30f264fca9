// Position embedding adds row t of a trained table to every row of time step t.
//   y[t][r] = x[t][r] + table[t]      dx = dy      dtable[t] = sum over r of dy[t][r]
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// x, y: [steps, rows, d]; y may be x; table: [steps, d].
inline constinit Kernel<void(const float* x, const float* table, float* y, int64_t steps,
                             int64_t rows, int64_t d)>
    PositionEmbeddingForward{"PositionEmbeddingForward"};

// dtable = beta dtable + the sums, added in the order of the rows. dy: [steps, rows, d]; dtable:
// [steps, d]. beta is 0 (the old dtable is not read) or 1.
inline constinit Kernel<void(const float* dy, float beta, float* dtable, int64_t steps,
                             int64_t rows, int64_t d)>
    PositionEmbeddingBackward{"PositionEmbeddingBackward"};

}  // namespace singa
