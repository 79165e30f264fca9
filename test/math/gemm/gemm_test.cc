#include "singa/math/gemm.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "math/layout/transpose.h"

namespace singa {
namespace {

// Returns small whole numbers: every sum is exact in float32, in any order.
std::vector<float> Whole(int64_t n, int64_t step) {
  std::vector<float> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>((i * step + 1) % 7 - 3));
  return values;
}

float At(const GemmOperand& x, int64_t i, int64_t j) {
  return x.transposed ? x.data[j * x.ld + i] : x.data[i * x.ld + j];
}

class GemmTest : public ::testing::TestWithParam<bool> {
 protected:
  GemmTest() { ctx_.plain = GetParam(); }

  // Rows of every matrix are `gap` floats longer than needed. Checks each `every`-th element.
  void ExpectProduct(int64_t m, int64_t n, int64_t k, bool ta, bool tb, float alpha, float beta,
                     int64_t gap, int64_t every = 1) {
    const int64_t lda = (ta ? m : k) + gap, ldb = (tb ? k : n) + gap, ldc = n + gap;
    const std::vector<float> a = Whole((ta ? k : m) * lda, 3), b = Whole((tb ? n : k) * ldb, 5);
    const GemmOperand op_a = {a.data(), lda, ta}, op_b = {b.data(), ldb, tb};
    const std::vector<float> before = Whole(m * ldc, 2);
    std::vector<float> c = before;
    Gemm(ctx_, m, n, k, alpha, op_a, op_b, beta, c.data(), ldc);
    for (int64_t at = 0; at < m * ldc; at += every) {
      const int64_t i = at / ldc, j = at % ldc;
      float want = before[at];
      if (j < n) {
        want *= beta;
        for (int64_t p = 0; p < k; ++p) want += alpha * At(op_a, i, p) * At(op_b, p, j);
      }
      ASSERT_EQ(c[at], want) << m << "x" << n << "x" << k << " at " << i << "," << j;
    }
  }

  Context ctx_;
};
INSTANTIATE_TEST_SUITE_P(Kernels, GemmTest, ::testing::Bool(),
                         [](const auto& p) { return p.param ? "plain" : "vendor"; });

TEST_P(GemmTest, MultipliesAllShapesAndTranspositions) {
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      for (int64_t gap : {0, 3}) {
        ExpectProduct(1, 1, 1, ta, tb, 1, 0, gap);
        ExpectProduct(3, 65, 7, ta, tb, 1, 0, gap);
        ExpectProduct(64, 10, 130, ta, tb, 2, 1, gap);
        ExpectProduct(5, 200, 67, ta, tb, -1, 0.5f, gap);
      }
}

TEST_P(GemmTest, MultipliesWeightGradientsBeyondCache) {  // in pieces by oneDNN
  ExpectProduct(1201, 2507, 48, true, false, 1, 1, 0, 997);
}

TEST_P(GemmTest, MultipliesInPartsForThreads) {  // of rows, and of columns, by OpenBLAS
  ctx_.threads = 3;
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      ExpectProduct(201, 130, 70, ta, tb, 1, 1, 3);
      ExpectProduct(130, 201, 70, ta, tb, 1, 1, 3);
    }
}

TEST_P(GemmTest, DoesNotReadTheOldContentWithBetaZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a = {1, 2}, b = {3, 4};
  std::vector<float> c = {nan};
  Gemm(ctx_, 1, 1, 2, 1, {a.data(), 2}, {b.data(), 1}, 0, c.data(), 1);
  EXPECT_EQ(c[0], 11);
}

TEST_P(GemmTest, ScalesTheOldContentByBetaWhereThereIsNothingToAdd) {
  std::vector<float> c = {4, 6};
  Gemm(ctx_, 1, 2, 0, 1, {c.data(), 1}, {c.data(), 2}, 0.5f, c.data(), 2);
  EXPECT_EQ(c, (std::vector<float>{2, 3}));
}

TEST_P(GemmTest, DoesNothingWithoutRowsOrColumns) {
  std::vector<float> a(6, 1), b(6, 1), c(6, 7);
  const std::vector<float> before = c;
  Gemm(ctx_, 0, 2, 3, 1, {a.data(), 3}, {b.data(), 2}, 0, c.data(), 2);
  Gemm(ctx_, 2, 0, 3, 1, {a.data(), 3}, {b.data(), 3}, 0, c.data(), 3);
  EXPECT_EQ(c, before);
}

TEST_P(GemmTest, TransposesEachMatrix) {
  for (auto [n, rows, cols] :
       {std::array<int64_t, 3>{1, 1, 5}, {2, 3, 4}, {3, 16, 33}, {1, 50, 17}}) {
    const std::vector<float> x = Whole(n * rows * cols, 3);
    std::vector<float> y(x.size());
    TransposeEach(ctx_, x.data(), y.data(), n, rows, cols);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t p = 0; p < rows; ++p)
        for (int64_t q = 0; q < cols; ++q)
          ASSERT_EQ(y[(i * cols + q) * rows + p], x[(i * rows + p) * cols + q]);
  }
}

}  // namespace
}  // namespace singa
