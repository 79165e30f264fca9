// Embedding looks up rows of a trained table by index.
//   y[r] = table[index[r]], zeros for padding (-1)      dtable[i] = sum of dy[r] with index[r] = i
// Equals torch.nn.functional.embedding, but padding is no row of the table.
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// index: [n], whole numbers, -1 or a row of the table; table: [., d]; y: [n, d].
inline constinit Kernel<void(const float* index, const float* table, float* y, int64_t n,
                             int64_t d)>
    EmbeddingForward{"EmbeddingForward"};

// dtable = beta dtable + the sums, added in the order of the rows. dy: [n, d]; dtable: [v, d]. beta
// is 0 (the old dtable is not read) or 1.
inline constinit Kernel<void(const float* index, const float* dy, float beta, float* dtable,
                             int64_t n, int64_t v, int64_t d)>
    EmbeddingBackward{"EmbeddingBackward"};

}  // namespace singa
