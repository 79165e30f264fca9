#include "math/gemm/tile_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/round_up.h"
#include "support/random_values.h"

namespace singa {
namespace {

struct TileSizes {
  int64_t m, n, k;
};

// Columns 64, 32 and 16 wide, rows and columns that fill no tile, and an empty sum.
constexpr TileSizes kTileSizes[] = {{1, 1, 1},     {6, 16, 5},    {7, 17, 3},  {48, 192, 64},
                                    {48, 64, 192}, {50, 112, 20}, {13, 33, 0}, {12, 48, 7}};

TEST(TileProduct, EqualsTheSumOfProducts) {
  for (const auto& [m, n, k] : kTileSizes)
    for (const bool transposed : {false, true})
      for (const bool add : {false, true}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << transposed << add);
        const int64_t rows = RoundUp(m, kTileRows), columns = RoundUp(n, kTileColumns) + 3;
        const std::vector<float> a = RandomValues("a", rows * (k + 1)),
                                 b = RandomValues("b", k * columns + kTileColumns);
        const TileFactor left =
            transposed ? TileFactor{a.data(), 1, rows} : TileFactor{a.data(), k, 1};
        const std::vector<float> before = RandomValues("c", rows * columns);
        std::vector<float> c = before;
        TileProduct(m, n, k, left, b.data(), columns, add, c.data(), columns);
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double want = add ? before[i * columns + j] : 0;
            for (int64_t p = 0; p < k; ++p)
              want += double{left.data[i * left.row + p * left.column]} * b[p * columns + j];
            EXPECT_NEAR(c[i * columns + j], want, 1e-6 * std::sqrt(k + 1.0) * 2) << i << "," << j;
          }
      }
}

TEST(TileProduct, LeavesOtherTilesAlone) {
  constexpr int64_t kColumns = 32;
  const std::vector<float> a(100, 1.f), b(400, 1.f);
  std::vector<float> c(12 * kColumns, 5.f);
  TileProduct(6, 16, 4, {a.data(), 4, 1}, b.data(), kColumns, false, c.data(), kColumns);
  for (int64_t i = 0; i < 12; ++i)
    for (int64_t j = 0; j < kColumns; ++j)
      EXPECT_EQ(c[i * kColumns + j], i < 6 && j < 16 ? 4 : 5) << i << "," << j;
}

}  // namespace
}  // namespace singa
