#include "math/reduction/sum.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace singa {
namespace {

TEST(AddSum, AddsToTheCell) {
  const std::vector<float> x = {1, 2.5f, -0.25f, 100};
  std::array<double, 2> cell = {0.5, 2};
  Context ctx;
  AddSum(ctx, x.data(), cell.data(), 3, 3);
  EXPECT_EQ(cell, (std::array<double, 2>{3.75, 5}));
  AddSum(ctx, x.data(), cell.data(), 0, 0.5);
  EXPECT_EQ(cell, (std::array<double, 2>{3.75, 5.5}));
}

TEST(AddSum, IsOfFloat64) {  // 1e8 + 1 is not a float
  const std::vector<float> x = {1e8f, 1, -1e8f, 0.5f};
  std::array<double, 2> cell = {};
  Context ctx;
  AddSum(ctx, x.data(), cell.data(), 4, 1);
  EXPECT_EQ(cell[0], 1.5);
}

}  // namespace
}  // namespace singa
