// Tests transposition and products as a device's blocks compute them. Tests how a library that
// stores columns sees a product.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "math/gemm/column_major.h"
#include "math/gemm/gemm_block.h"
#include "math/layout/transpose_block.h"
#include "support/emulated_block.h"

namespace singa {
namespace {

using Values = std::vector<float>;

// Returns small whole numbers: every sum is exact in float32, in any order.
Values SmallNumbers(int64_t n, int64_t step) {
  Values values;
  for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>((i * step + 1) % 7 - 3));
  return values;
}

TEST(TransposeBlockTest, TransposesEachMatrix) {
  for (auto [n, rows, cols] : {std::array<int64_t, 3>{1, 1, 5},
                               {2, 3, 4},
                               {3, 16, 33},
                               {2, 64, 32},
                               {1, 50, 17},
                               {2, 31, 65}}) {
    const Values x = SmallNumbers(n * rows * cols, 3);
    Values by_tiles(x.size()), one_by_one(x.size());
    const TransposeTile tile = {x.data(), by_tiles.data(), rows, cols};
    RunBlocks(n * tile.tiles(), 64, tile);
    for (int64_t i = 0; i < n * rows * cols; ++i)
      TransposeOne{x.data(), one_by_one.data(), rows, cols}(i);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t p = 0; p < rows; ++p)
        for (int64_t q = 0; q < cols; ++q)
          ASSERT_EQ(by_tiles[(i * cols + q) * rows + p], x[(i * rows + p) * cols + q]);
    EXPECT_EQ(one_by_one, by_tiles);
  }
}

float Element(const GemmOperand& x, int64_t i, int64_t j) {
  return x.transposed ? x.data[j * x.ld + i] : x.data[i * x.ld + j];
}

void ExpectTiledProduct(int64_t m, int64_t n, int64_t k, bool ta, bool tb, float alpha, float beta,
                        int64_t gap) {
  const int64_t lda = (ta ? m : k) + gap, ldb = (tb ? k : n) + gap, ldc = n + gap;
  const Values a = SmallNumbers((ta ? k : m) * lda, 3), b = SmallNumbers((tb ? n : k) * ldb, 5);
  const GemmOperand op_a = {a.data(), lda, ta}, op_b = {b.data(), ldb, tb};
  const Values before = SmallNumbers(m * ldc, 2);
  Values c = before;
  const GemmTile tile = {m, n, k, alpha, beta, op_a, op_b, c.data(), ldc};
  RunBlocks(tile.tiles(), GemmTile::kThreads, tile);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < ldc; ++j) {
      float want = before[i * ldc + j];
      if (j < n) {
        want *= beta;
        for (int64_t p = 0; p < k; ++p) want += alpha * Element(op_a, i, p) * Element(op_b, p, j);
      }
      ASSERT_EQ(c[i * ldc + j], want) << m << "x" << n << "x" << k << " at " << i << "," << j;
    }
}

TEST(GemmBlockTest, MultipliesAllShapesAndTranspositions) {
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      ExpectTiledProduct(1, 1, 1, ta, tb, 1, 0, 3);
      ExpectTiledProduct(3, 65, 7, ta, tb, 2, 1, 0);
      ExpectTiledProduct(70, 130, 33, ta, tb, -1, 0.5f, 3);
      ExpectTiledProduct(64, 64, 16, ta, tb, 1, 0, 0);
    }
}

TEST(GemmBlockTest, ScalesTheOldContentByBetaWhereThereIsNothingToAdd) {
  Values c = {4, 6};
  const GemmTile tile = {1, 2, 0, 1, 0.5f, {c.data(), 1}, {c.data(), 2}, c.data(), 2};
  RunBlocks(1, GemmTile::kThreads, tile);
  EXPECT_EQ(c, Values({2, 3}));
}

TEST(GemmBlockTest, DoesNotReadTheOldContentWithBetaZero) {
  const Values a = {1, 2}, b = {3, 4};
  Values c = {std::numeric_limits<float>::quiet_NaN()};
  const GemmTile tile = {1, 1, 2, 1, 0, {a.data(), 2}, {b.data(), 1}, c.data(), 1};
  RunBlocks(1, GemmTile::kThreads, tile);
  EXPECT_EQ(c[0], 11);
}

// Returns element (i, j) of a factor that holds columns.
float StoredAt(const ColumnMajorFactor& x, int64_t i, int64_t j) {
  if (x.transposed) std::swap(i, j);
  EXPECT_LT(i, x.rows);
  EXPECT_LT(j, x.cols);
  EXPECT_LE(x.rows, x.ld);
  return x.data[j * x.ld + i];
}

TEST(ColumnMajorTest, ProductOfColumnsIsThatOfRows) {
  constexpr int64_t kM = 3, kN = 4, kK = 5;
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      const int64_t lda = (ta ? kM : kK) + 2, ldb = (tb ? kK : kN) + 1;
      const Values a = SmallNumbers((ta ? kK : kM) * lda, 3),
                   b = SmallNumbers((tb ? kN : kK) * ldb, 5);
      const GemmOperand op_a = {a.data(), lda, ta}, op_b = {b.data(), ldb, tb};
      const ColumnMajorProduct product(kM, kN, kK, op_a, op_b);
      ASSERT_EQ(product.rows, kN);
      ASSERT_EQ(product.cols, kM);
      for (int64_t i = 0; i < kM; ++i)
        for (int64_t j = 0; j < kN; ++j) {
          float want = 0, got = 0;
          for (int64_t p = 0; p < kK; ++p) {
            want += Element(op_a, i, p) * Element(op_b, p, j);
            got += StoredAt(product.left, j, p) * StoredAt(product.right, p, i);
          }
          ASSERT_EQ(got, want);  // at j + i ldc, which is c[i][j]
        }
    }
}

}  // namespace
}  // namespace singa
