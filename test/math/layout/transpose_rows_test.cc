#include "math/layout/transpose_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace singa {
namespace {

constexpr float kUnwritten = -1;

// Sides of whole squares of each width, more than one of them, and what remains beside them.
TEST(TransposeRows, WritesEachElementOfAnySizeAndNothingElse) {
  for (const int64_t rows : {1, 3, 4, 8, 15, 16, 17, 32, 50})
    for (const int64_t columns : {1, 2, 4, 7, 8, 16, 20, 33, 48}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << columns);
      const int64_t x_stride = columns + 5, y_stride = rows + 3;
      std::vector<float> x(rows * x_stride), y(columns * y_stride, kUnwritten);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
      std::vector<float> want = y;
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) want[j * y_stride + i] = x[i * x_stride + j];
      TransposeRows(x.data(), x_stride, rows, columns, y.data(), y_stride);
      EXPECT_EQ(y, want);
    }
}

TEST(TransposeRows, TakesAMatrixWithoutRows) {
  float y = kUnwritten;
  TransposeRows(nullptr, 1, 0, 0, &y, 1);
  EXPECT_EQ(y, kUnwritten);
}

}  // namespace
}  // namespace singa
