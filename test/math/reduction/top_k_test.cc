#include "math/reduction/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace singa {
namespace {

using Values = std::vector<float>;
using Cell = std::array<double, 2>;  // hits, rows

Values Best(const Values& score, int64_t k) {
  Context ctx;
  Values index(k);
  TopK(ctx, score.data(), index.data(), 1, static_cast<int64_t>(score.size()), k);
  return index;
}

double Hits(const Values& score, int32_t label, int64_t k) {
  Context ctx;
  Cell cell = {};
  CountTopK(ctx, score.data(), &label, kNoneIgnored, cell.data(), 1,
            static_cast<int64_t>(score.size()), k);
  EXPECT_EQ(cell[1], 1);
  return cell[0];
}

TEST(TopKTest, IndicesFollowFallingScores) {
  EXPECT_EQ(Best({0.5f, -1, 3, 2}, 1), Values({2}));
  EXPECT_EQ(Best({0.5f, -1, 3, 2}, 4), Values({2, 3, 0, 1}));
}

TEST(TopKTest, OfEqualScoresTheLargerIndexComesFirst) {
  EXPECT_EQ(Best({1, 2, 1, 2, 1}, 4), Values({3, 1, 4, 2}));
  EXPECT_EQ(Best({-0.f, 0.f, -0.f}, 2), Values({2, 1}));
}

TEST(TopKTest, NanComesFirst) { EXPECT_EQ(Best({5, NAN, 1, NAN}, 3), Values({3, 1, 0})); }

TEST(TopKTest, EqualsAStableSortAndItsCount) {
  const int64_t d = 257;
  Values score(d);  // about four of each value
  for (int64_t j = 0; j < d; ++j) score[j] = static_cast<float>(Philox{1, 2, 3}.Below(j, 64));
  Values order(d);
  std::iota(order.rbegin(), order.rend(), 0.f);
  std::stable_sort(order.begin(), order.end(), [&](float a, float b) {
    return score[static_cast<int64_t>(a)] > score[static_cast<int64_t>(b)];
  });
  for (int64_t k : {1, 5, 100, 257}) {
    EXPECT_EQ(Best(score, k), Values(order.begin(), order.begin() + k));
    for (int64_t j = 0; j < d; ++j)
      EXPECT_EQ(Hits(score, static_cast<int32_t>(order[j]), k), j < k ? 1 : 0) << j;
  }
}

TEST(TopKTest, CountsRowsByThemselves) {
  Context ctx;
  const Values score = {1, 2, 3, 3, 2, 1};
  const std::vector<int32_t> label = {2, 2};
  Cell cell = {10, 20};
  CountTopK(ctx, score.data(), label.data(), kNoneIgnored, cell.data(), 2, 3, 1);
  EXPECT_EQ(cell, (Cell{11, 22}));
}

TEST(TopKTest, RowsWhoseLabelIsIgnoredDoNotCount) {
  Context ctx;
  const Values score = {1, 2, 3, 3, 2, 1, 1, 2, 3};
  const std::vector<int32_t> label = {2, -1, 0};
  Cell cell = {};
  CountTopK(ctx, score.data(), label.data(), -1, cell.data(), 3, 3, 1);
  EXPECT_EQ(cell, (Cell{1, 2}));
}

TEST(TopKTest, CountsTheRowsOfEachClass) {
  Context ctx;
  const Values score = {1, 2, 3, 3, 2, 1, 1, 2, 3, 9, 0, 0};
  const std::vector<int32_t> label = {2, -1, 0, 2};
  std::vector<double> cells = {10, 20, 0, 0, 0, 0};
  CountTopKOfClasses(ctx, score.data(), label.data(), -1, cells.data(), 4, 3, 1);
  EXPECT_EQ(cells, (std::vector<double>{10, 21, 0, 0, 1, 2}));
}

TEST(TopKTest, NanIsNeverAHitAndAlwaysBetter) {
  EXPECT_EQ(Hits({NAN, 1}, 0, 2), 0);
  EXPECT_EQ(Hits({NAN, 1}, 1, 1), 0);
  EXPECT_EQ(Hits({1, NAN}, 0, 1), 0);
}

}  // namespace
}  // namespace singa
