#include "nn/neuron/carry_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace singa {
namespace {

using StateValues = std::vector<float>;

TEST(CarryState, CopiesRowsThatAreFinite) {
  const float most = std::numeric_limits<float>::max(), least = 1e-45f;
  const StateValues h = {1, most, least, -4}, c = {5, 6, 7, -most};
  StateValues carried_h(5, 9), carried_c(5, 9);
  Context ctx;
  CarryState(ctx, h.data(), c.data(), carried_h.data(), carried_c.data(), 2, 2);
  EXPECT_EQ(carried_h, (StateValues{1, most, least, -4, 9}));
  EXPECT_EQ(carried_c, (StateValues{5, 6, 7, -most, 9}));
}

TEST(CarryState, ARowWithABrokenNumberBeginsAnewInBoth) {
  const StateValues h = {1, 2, NAN, 4, 5, 6, 7, -INFINITY}, c = {1, 2, 3, 4, 5, INFINITY, 7, 8};
  StateValues carried_h(8, 9), carried_c(8, 9);
  Context ctx;
  CarryState(ctx, h.data(), c.data(), carried_h.data(), carried_c.data(), 4, 2);
  EXPECT_EQ(carried_h, (StateValues{1, 2, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(carried_c, carried_h);
}

TEST(CarryState, OfHAlone) {
  const StateValues h = {1, 2, NAN, 4};
  StateValues carried(4, 9);
  Context ctx;
  CarryState(ctx, h.data(), nullptr, carried.data(), nullptr, 2, 2);
  EXPECT_EQ(carried, (StateValues{1, 2, 0, 0}));
}

TEST(CarryState, IsTheSameOverThreads) {
  constexpr int64_t kRows = 3000, kUnits = 70;
  StateValues h(kRows * kUnits);
  for (size_t i = 0; i < h.size(); ++i) h[i] = i % 977 == 5 ? NAN : static_cast<float>(i);
  StateValues want(h.size()), got(h.size());
  Context ctx;
  CarryState(ctx, h.data(), nullptr, want.data(), nullptr, kRows, kUnits);
  ctx.threads = 2;
  CarryState(ctx, h.data(), nullptr, got.data(), nullptr, kRows, kUnits);
  EXPECT_EQ(got, want);
}

}  // namespace
}  // namespace singa
