// Tests the vector kernel of pooling at the borders of its vectors and of its 16-bit places.
// pooling_test compares it with the plain kernel.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "nn/neuron/pooling.h"
#include "support/random_values.h"

namespace singa::pooling_vector {
namespace {

using Numbers = std::vector<float>;

PoolingDesc Square(const ImageShape& in, int64_t kernel, int64_t stride, bool max = true) {
  const WindowSide side = {kernel, 0, stride};
  return {in, {in.n, in.c, side.Count(in.h), side.Count(in.w)}, {side, side}, max};
}

struct Pooled {
  std::string kernel;
  int64_t winner_bytes;
  Numbers y, dx;
};

Pooled Pool(const PoolingDesc& d, const Numbers& x, const Numbers& dy, bool plain = false,
            int threads = 1) {
  Context ctx;
  ctx.plain = plain;
  ctx.threads = threads;
  const auto plan = MakePooling.Make(ctx, d);
  std::vector<char> scratch(static_cast<size_t>(plan->scratch_bytes())),
      winners(static_cast<size_t>(plan->winner_bytes()));
  ctx.scratch = scratch.data();
  Pooled run{plan->name(), plan->winner_bytes(), Numbers(d.out.size(), -1),
             Numbers(d.in.size(), -1)};
  plan->Forward(ctx, x.data(), run.y.data(), winners.data());
  plan->Backward(ctx, dy.data(), winners.data(), run.dx.data());
  return run;
}

// Vectors have 8 or 16 channels. The last vector of 9 channels overlaps the first in 7. Below 8
// there is none.
TEST(PoolingVector, ChannelsBesideTheVectorsAreComputedOnceEach) {
  for (const int64_t channels : {1, 7, 8, 9, 15, 16, 17, 31, 33}) {
    const PoolingDesc d = Square({2, channels, 5, 4}, 3, 1);
    const Numbers x = RandomValues("x", d.in.size()), dy = RandomValues("dy", d.out.size());
    const Pooled plain = Pool(d, x, dy, true), vector = Pool(d, x, dy);
    EXPECT_EQ(vector.kernel, "vector");
    EXPECT_EQ(vector.y, plain.y) << channels << " channels";
    EXPECT_EQ(vector.dx, plain.dx) << channels << " channels";
  }
}

// The window's last place has the number 65535, the largest of 16 bits.
TEST(PoolingVector, TheLastPlaceOfTheLargestWindowWins) {
  const PoolingDesc d = Square({1, 16, 256, 256}, 256, 1);
  Numbers x(d.in.size(), 0);
  x.back() = 3;
  const Pooled run = Pool(d, x, Numbers(16, 2));
  EXPECT_EQ(run.kernel, "vector");
  EXPECT_EQ(run.y.back(), 3);
  EXPECT_EQ(run.dx.back(), 2);
  EXPECT_EQ(run.dx[15], 0);
  EXPECT_EQ(run.dx[0], 2);  // the other channels have the first of equal values
}

TEST(PoolingVector, MaximaOfALargerWindowAreLeftToThePlainKernel) {
  const PoolingDesc d = Square({1, 1, 257, 257}, 257, 1);
  Numbers x(d.in.size(), 0);
  x.back() = 3;
  const Pooled run = Pool(d, x, {2});
  EXPECT_EQ(run.kernel, "plain");
  EXPECT_EQ(run.y, Numbers{3});
  EXPECT_EQ(run.dx.back(), 2);
}

// These means are sums of several parts. The windows are wider or higher than a part, or both.
TEST(PoolingVector, MeansOfLargeWindowsEqualThePlainKernel) {
  for (const auto& [h, w] : {std::pair{500, 300}, {301, 40}, {1, 100003}, {100003, 1}})
    for (const int64_t channels : {1, 17}) {
      const WindowSide y = {.kernel = h}, x = {.kernel = w};
      const PoolingDesc d = {{2, channels, h, w}, {2, channels, 1, 1}, {y, x}, false};
      const Numbers from = RandomValues("x", d.in.size()), dy = RandomValues("dy", d.out.size());
      const Pooled plain = Pool(d, from, dy, true), vector = Pool(d, from, dy);
      EXPECT_EQ(vector.kernel, "vector");
      for (size_t i = 0; i < plain.y.size(); ++i) EXPECT_NEAR(vector.y[i], plain.y[i], 1e-6);
      for (size_t i = 0; i < plain.dx.size(); ++i) ASSERT_NEAR(vector.dx[i], plain.dx[i], 1e-6);
    }
}

TEST(PoolingVector, OnlyAMaximumKeepsItsPlaces) {
  const ImageShape image = {2, 3, 4, 4};
  const Numbers x = RandomValues("x", image.size()), dy = RandomValues("dy", 2 * 3 * 2 * 2);
  EXPECT_EQ(Pool(Square(image, 2, 2), x, dy).winner_bytes, 2 * 3 * 2 * 2 * 2);
  EXPECT_EQ(Pool(Square(image, 2, 2, false), x, dy).winner_bytes, 0);
}

TEST(PoolingVector, PixelsBetweenTheWindowsGetNoGradient) {
  const PoolingDesc d = Square({1, 16, 1, 5}, 1, 2);
  const Numbers x = RandomValues("x", d.in.size()), dy(d.out.size(), 1);
  for (const bool max : {true, false}) {
    const Pooled run = Pool(Square(d.in, 1, 2, max), x, dy);
    for (size_t i = 0; i < run.dx.size(); ++i) EXPECT_EQ(run.dx[i], i / 16 % 2 ? 0 : 1) << i;
  }
}

// The windows are (1, NaN), (NaN, 2) and (2, 3) in each channel.
TEST(PoolingVector, ANumberThatIsNoneWinsWhereItComesFirst) {
  for (const int64_t channels : {1, 16}) {
    const WindowSide one = {1, 0, 1}, two = {2, 0, 1};
    const PoolingDesc d = {{1, channels, 1, 4}, {1, channels, 1, 3}, {one, two}, true};
    Numbers x;
    for (const float value : {1.f, std::numeric_limits<float>::quiet_NaN(), 2.f, 3.f})
      x.insert(x.end(), static_cast<size_t>(channels), value);
    const Numbers y = Pool(d, x, Numbers(d.out.size(), 1)).y;
    EXPECT_EQ(y[0], 1);
    EXPECT_TRUE(std::isnan(y[static_cast<size_t>(channels)]));
    EXPECT_EQ(y.back(), 3);
  }
}

}  // namespace
}  // namespace singa::pooling_vector
