#include "math/layout/transpose.h"

#include "math/layout/transpose_rows.h"

namespace singa {
namespace {

void Transpose(Context&, const float* x, float* y, int64_t n, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < n; ++i, x += rows * cols, y += rows * cols)
    TransposeRows(x, cols, rows, cols, y, rows);
}

[[maybe_unused]] const bool registered = TransposeEach.Set(Device::kCpu, Transpose);

}  // namespace
}  // namespace singa
