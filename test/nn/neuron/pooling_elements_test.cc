// Compares pooling of a device's threads, run on the host, with the plain kernel.
#include "nn/neuron/pooling_elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/elements.h"
#include "support/random_values.h"

namespace singa {
namespace {

PoolingDesc PoolingWithSides(const ImageShape& in, const WindowSide& y, const WindowSide& x,
                             bool max) {
  return {in, {in.n, in.c, y.Count(in.h), x.Count(in.w)}, {y, x}, max};
}

PoolingDesc PoolingRoundedUp(const ImageShape& in, const WindowSide& y, const WindowSide& x,
                             bool max) {
  return {in, {in.n, in.c, y.CountUp(in.h), x.CountUp(in.w)}, {y, x}, max};
}

// In these cases a stride leaves a rest of a side, there is padding, and windows overlap or leave
// gaps. The last windows of two cases reach beyond the padded image.
std::vector<PoolingDesc> PoolingCases(bool max) {
  return {PoolingWithSides({2, 4, 7, 5}, {3, 1, 2}, {2, 0, 2}, max),
          PoolingWithSides({1, 8, 6, 6}, {2, 0, 3}, {3, 2, 1}, max),
          PoolingWithSides({3, 12, 1, 9}, {1, 0, 1}, {4, 3, 5}, max),
          PoolingWithSides({1, 4, 1, 1}, {2, 1, 2}, {1, 0, 1}, max),
          PoolingWithSides({2, 4, 20, 17}, {17, 3, 2}, {16, 4, 3}, max),
          PoolingRoundedUp({2, 4, 8, 7}, {3, 1, 2}, {4, 2, 3}, max),
          PoolingRoundedUp({1, 8, 5, 6}, {2, 0, 2}, {3, 0, 2}, max)};
}

struct PoolingRun {
  std::vector<float> y, dx;
};

std::vector<float> PoolingTies(int64_t n) {
  std::vector<float> x = RandomValues("x", n);
  for (float& value : x) value = std::round(4 * value);
  return x;
}

PoolingRun PlainPooling(const PoolingDesc& d, const std::vector<float>& x,
                        const std::vector<float>& dy) {
  Context ctx;
  ctx.plain = true;
  const auto plan = MakePooling.Make(ctx, d);
  std::vector<double> scratch(plan->scratch_bytes() / sizeof(double));
  ctx.scratch = scratch.data();
  std::vector<uint8_t> winners(plan->winner_bytes());
  PoolingRun run{std::vector<float>(d.out.size()), std::vector<float>(d.in.size())};
  plan->Forward(ctx, x.data(), run.y.data(), winners.data());
  plan->Backward(ctx, dy.data(), winners.data(), run.dx.data());
  return run;
}

template <int N, typename Place>
PoolingRun PoolingByElement(const PoolingDesc& d, const std::vector<float>& x,
                            const std::vector<float>& dy) {
  PoolingRun run{std::vector<float>(d.out.size()), std::vector<float>(d.in.size())};
  std::vector<Place> winners(d.out.size());
  const float scale = 1 / static_cast<float>(d.window.area());
  if (d.max) {
    RunElements(d.out.size() / N, MaxOfWindow<N, Place>{d, x.data(), run.y.data(), winners.data()});
    RunElements(d.in.size() / N,
                MaxGradient<N, Place>{d, dy.data(), winners.data(), run.dx.data()});
  } else {
    RunElements(d.out.size() / N, MeanOfWindow<N>{d, x.data(), run.y.data(), scale});
    RunElements(d.out.size() / N, WeighedWindow<N>{d, run.y.data(), run.y.data()});
    std::vector<float> weighed(dy.size());
    RunElements(d.out.size() / N, WeighedWindow<N>{d, dy.data(), weighed.data()});
    RunElements(d.in.size() / N, MeanGradient<N>{d, weighed.data(), run.dx.data(), scale});
  }
  return run;
}

TEST(PoolingElementsTest, MaxEqualsThePlainKernel) {
  for (const PoolingDesc& d : PoolingCases(true)) {
    const std::vector<float> x = PoolingTies(d.in.size()), dy = RandomValues("dy", d.out.size());
    const PoolingRun want = PlainPooling(d, x, dy), fours = PoolingByElement<4, int64_t>(d, x, dy),
                     ones = PoolingByElement<1, int64_t>(d, x, dy);
    EXPECT_EQ(ones.y, want.y);
    EXPECT_EQ(ones.dx, want.dx);
    EXPECT_EQ(fours.y, want.y);
    EXPECT_EQ(fours.dx, want.dx);
    if (d.window.area() > 256) continue;
    const PoolingRun small = PoolingByElement<4, uint8_t>(d, x, dy);
    EXPECT_EQ(small.y, want.y);
    EXPECT_EQ(small.dx, want.dx);
  }
}

TEST(PoolingElementsTest, PlacesInAWindowOf256FitAByte) {
  const PoolingDesc d = PoolingWithSides({2, 3, 18, 17}, {16, 0, 1}, {16, 0, 1}, true);
  const std::vector<float> x = PoolingTies(d.in.size()), dy = RandomValues("dy", d.out.size());
  const PoolingRun want = PlainPooling(d, x, dy), got = PoolingByElement<1, uint8_t>(d, x, dy);
  EXPECT_EQ(got.y, want.y);
  EXPECT_EQ(got.dx, want.dx);
}

TEST(PoolingElementsTest, NaNWinsWhereItComesFirst) {
  const PoolingDesc d = PoolingWithSides({1, 4, 2, 4}, {2, 0, 2}, {2, 0, 2}, true);
  std::vector<float> x = PoolingTies(d.in.size());
  x[0] = x[20] = std::nanf("");  // in window 0, not in window 1
  x[5] = -std::numeric_limits<float>::infinity();
  const std::vector<float> dy = RandomValues("dy", d.out.size());
  const PoolingRun want = PlainPooling(d, x, dy), got = PoolingByElement<4, uint8_t>(d, x, dy);
  EXPECT_TRUE(std::isnan(got.y[0]));
  for (size_t i = 1; i < want.y.size(); ++i) EXPECT_EQ(got.y[i], want.y[i]) << i;
  EXPECT_EQ(got.dx, want.dx);
}

// One chain of float32 sums would be wrong by 1 %.
TEST(PoolingElementsTest, TheMeanOfAMillionPixelsIsPrecise) {
  const WindowSide side = {.kernel = 1000};
  const PoolingDesc d = PoolingWithSides({1, 4, 1000, 1000}, side, side, false);
  const std::vector<float> x(d.in.size(), 0.1f);
  std::vector<float> ones(4), fours(4);
  RunElements(4, MeanOfWindow<1>{d, x.data(), ones.data(), 1e-6f});
  RunElements(1, MeanOfWindow<4>{d, x.data(), fours.data(), 1e-6f});
  for (const float mean : ones) EXPECT_NEAR(mean, 0.1f, 1e-6);
  EXPECT_EQ(fours, ones);
}

TEST(PoolingElementsTest, MeanEqualsThePlainKernelButForRounding) {
  for (const PoolingDesc& d : PoolingCases(false)) {
    const std::vector<float> x = RandomValues("x", d.in.size()),
                             dy = RandomValues("dy", d.out.size());
    const PoolingRun want = PlainPooling(d, x, dy), fours = PoolingByElement<4, uint8_t>(d, x, dy),
                     ones = PoolingByElement<1, uint8_t>(d, x, dy);
    EXPECT_EQ(ones.y, fours.y);
    EXPECT_EQ(ones.dx, fours.dx);
    for (size_t i = 0; i < want.y.size(); ++i) EXPECT_NEAR(ones.y[i], want.y[i], 1e-6) << i;
    for (size_t i = 0; i < want.dx.size(); ++i) EXPECT_NEAR(ones.dx[i], want.dx[i], 1e-6) << i;
  }
}

}  // namespace
}  // namespace singa
