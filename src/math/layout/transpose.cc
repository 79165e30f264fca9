#include "math/layout/transpose.h"

#include <algorithm>

namespace singa {
namespace {

constexpr int64_t kTile = 16;  // a cache line of floats

// Transposes one tile of at most kTile x kTile: y[q][p] = x[p][q].
void TransposeTile(const float* x, float* y, int64_t p_count, int64_t q_count, int64_t rows,
                   int64_t cols) {
  for (int64_t q = 0; q < q_count; ++q)
    for (int64_t p = 0; p < p_count; ++p) y[q * rows + p] = x[p * cols + q];
}

void Transpose(Context&, const float* x, float* y, int64_t n, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < n; ++i, x += rows * cols, y += rows * cols)
    for (int64_t q = 0; q < cols; q += kTile)
      for (int64_t p = 0; p < rows; p += kTile)
        TransposeTile(x + p * cols + q, y + q * rows + p, std::min(kTile, rows - p),
                      std::min(kTile, cols - q), rows, cols);
}

[[maybe_unused]] const bool registered = TransposeEach.Set(Device::kCpu, Transpose);

}  // namespace
}  // namespace singa
