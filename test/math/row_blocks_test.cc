// Compares rows of softmax and top k, as a device's warps and blocks compute them, with the plain
// kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "math/reduction/softmax.h"
#include "math/reduction/softmax_block.h"
#include "math/reduction/top_k.h"
#include "math/reduction/top_k_block.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

using Values = std::vector<float>;
constexpr int kWarpThreads = 32, kBlockThreads = 96;

Context PlainContext() {
  Context ctx;
  ctx.plain = true;
  return ctx;
}

void ExpectCloseRows(const Values& got, const Values& want) {
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_NEAR(got[i], want[i], 1e-6 * std::max(1.f, std::abs(want[i]))) << i;
}

TEST(SoftmaxBlockTest, EqualsPlainForRowsOfAnyLength) {
  Context ctx = PlainContext();
  for (int threads : {kWarpThreads, kBlockThreads})
    for (int64_t d : {1, 2, 31, 32, 33, 1000, 5001}) {
      SCOPED_TRACE(d);
      const Values x = RandomValues("x", 3 * d, 4), dy = RandomValues("dy", 3 * d);
      Values want(3 * d), y(3 * d), want_dx(3 * d), dx = dy;
      SoftmaxForward(ctx, x.data(), want.data(), 3, d);
      RunBlocks(3, threads, SoftmaxRow{x.data(), y.data(), d});
      ExpectCloseRows(y, want);
      SoftmaxBackward(ctx, want.data(), dy.data(), want_dx.data(), 3, d);
      RunBlocks(3, threads, SoftmaxGradientRow{want.data(), dx.data(), dx.data(), d});
      ExpectCloseRows(dx, want_dx);
    }
}

TEST(SoftmaxBlockTest, WritesInPlace) {
  const Values x = RandomValues("x", 200, 4);
  Values y(200), in_place = x;
  RunBlocks(2, kWarpThreads, SoftmaxRow{x.data(), y.data(), 100});
  RunBlocks(2, kWarpThreads, SoftmaxRow{in_place.data(), in_place.data(), 100});
  EXPECT_EQ(in_place, y);
}

TEST(SoftmaxBlockTest, RowsWithoutASoftmaxBecomeNan) {
  for (const Values& row : {Values{NAN, 0, 1}, Values{0, NAN, 1}, Values{INFINITY, 0, 1},
                            Values{-INFINITY, -INFINITY, -INFINITY}}) {
    Values y(3);
    RunBlocks(1, kWarpThreads, SoftmaxRow{row.data(), y.data(), 3});
    for (float value : y) EXPECT_TRUE(std::isnan(value));
  }
}

TEST(SoftmaxBlockTest, LargeNumbersDoNotOverflow) {
  const Values x = {3e38f, 3e38f, -3e38f, -INFINITY};
  Values y(4);
  RunBlocks(1, kWarpThreads, SoftmaxRow{x.data(), y.data(), 4});
  EXPECT_EQ(y, Values({0.5f, 0.5f, 0, 0}));
}

// Returns scores with about four of each value, some NaN and infinities.
Values RowScores(int64_t n, int64_t d) {
  Values score(n * d);
  for (int64_t i = 0; i < n * d; ++i) {
    const auto value = static_cast<int64_t>(Philox{1, 2, 3}.Below(i, std::max<int64_t>(d / 4, 2)));
    score[i] = value == 0 && d > 3 ? (i % 3 == 0 ? NAN : -INFINITY) : static_cast<float>(value);
  }
  return score;
}

TEST(TopKBlockTest, EqualsPlain) {
  Context ctx = PlainContext();
  for (int threads : {kWarpThreads, kBlockThreads})
    for (int64_t d : {1, 2, 33, 100})
      for (int64_t k : {int64_t{1}, std::min<int64_t>(d, 5), d}) {
        SCOPED_TRACE(d);
        const Values score = RowScores(3, d);
        Values index(3 * k), want(3 * k);
        TopK(ctx, score.data(), want.data(), 3, d, k);
        RunBlocks(3, threads, TopKRow{score.data(), index.data(), d, k});
        EXPECT_EQ(index, want) << "k " << k;
      }
}

TEST(TopKBlockTest, OfEqualScoresTheLargerIndexComesFirstAndNanBeforeAll) {
  const Values score = {-0.f, 0.f, -0.f, NAN, NAN, -INFINITY, -INFINITY};
  Values index(7);
  RunBlocks(1, kWarpThreads, TopKRow{score.data(), index.data(), 7, 7});
  EXPECT_EQ(index, Values({4, 3, 2, 1, 0, 6, 5}));
}

TEST(TopKBlockTest, CountsAsPlain) {
  Context ctx = PlainContext();
  for (int threads : {kWarpThreads, kBlockThreads})
    for (int64_t d : {2, 33, 257})
      for (int64_t parts : {1, 5, 20}) {
        constexpr int64_t kRows = 20;
        const Values score = RowScores(kRows, d);
        const std::vector<int32_t> label = RandomIndices<int32_t>(kRows, d);  // -1: ignored
        const int64_t k = (d + 1) / 2;
        double want[2] = {}, cell[2] = {};
        CountTopK(ctx, score.data(), label.data(), -1, want, kRows, d, k);
        std::vector<Sums<2>> partial(parts);
        RunBlocks(
            parts, threads,
            CountTopKRows{score.data(), label.data(), -1, kRows, d, k, parts, partial.data()});
        RunBlocks(1, threads,
                  SumBlock<2, LoadSums<2>, AddToCell>{{partial.data()}, parts, 1, {cell, 1}});
        EXPECT_EQ(cell[0], want[0]);
        EXPECT_EQ(cell[1], want[1]);
        EXPECT_GT(want[0], 0);
        EXPECT_LT(want[0], want[1]);
        std::vector<double> classes(2 * d), of_blocks(2 * d);
        CountTopKOfClasses(ctx, score.data(), label.data(), -1, classes.data(), kRows, d, k);
        RunBlocks(static_cast<int>(d), threads,
                  CountTopKOfClass{score.data(), label.data(), -1, of_blocks.data(), kRows, d, k});
        EXPECT_EQ(of_blocks, classes);
      }
}

}  // namespace
}  // namespace singa
