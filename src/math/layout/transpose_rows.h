// TransposeRows transposes a matrix that lies in a core's caches, by one thread. Squares of it are
// transposed in vector registers.
#pragma once

#include <cstdint>

namespace singa {

// y[j][i] = x[i][j] for i < rows and j < columns. Row i of x begins at x + i * x_stride, row j of y
// at y + j * y_stride. x and y must not overlap.
void TransposeRows(const float* x, int64_t x_stride, int64_t rows, int64_t columns, float* y,
                   int64_t y_stride);

}  // namespace singa
