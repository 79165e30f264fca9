// TileProduct multiplies small matrices that lie in a core's caches, such as the blocks of
// kAttention. It copies nothing and uses one thread, so it beats Gemm at such sizes.
#pragma once

#include <cstdint>

namespace singa {

// A left factor, whose element (i, p) is data[i * row + p * column].
struct TileFactor {
  const float* data;
  int64_t row, column;
};

inline constexpr int64_t kTileRows = 6, kTileColumns = 16;

// Computes c = a b, or with `add` c += a b. a: [m, k]; b: [k, n] with rows of ldb; c: [m, n] with
// rows of ldc. Whole tiles are computed: m counts up to a multiple of kTileRows, and n up to a
// multiple of kTileColumns. a, b and c must have memory for it; the further elements of c have no
// meaning. Products are added up in the order of k.
void TileProduct(int64_t m, int64_t n, int64_t k, TileFactor a, const float* b, int64_t ldb,
                 bool add, float* c, int64_t ldc);

}  // namespace singa
