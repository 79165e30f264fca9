// Tests numbers of 16 bits, and products whose factors are rounded to them.
#include "math/elementwise/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "math/elementwise/half_elements.h"
#include "math/gemm/gemm_block.h"
#include "singa/base/philox.h"
#include "support/elements.h"
#include "support/emulated_block.h"

namespace singa::half_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// Expects that `of` is the nearest to x of the 16-bit numbers of `Half`, from 0 up.
template <typename Half>
void ExpectNearest(float x, uint16_t of) {
  const auto distance = [&](int bits) {
    return std::abs(double{x} - double{Half::ToFloat(static_cast<uint16_t>(bits))});
  };
  SCOPED_TRACE(x);
  const double own = distance(of);
  for (const int other : {of - 1, of + 1}) {
    if (other < 0 || !std::isfinite(Half::ToFloat(static_cast<uint16_t>(other)))) continue;
    EXPECT_LE(own, distance(other));
    const bool tie = own == distance(other);
    EXPECT_TRUE(!tie || of % 2 == 0) << "a tie goes to the even one";
  }
}

template <typename Half>
void ExpectRounds(float largest, float smallest) {
  for (int bits = 0; bits < 1 << 16; ++bits) {  // each number is its own nearest
    const auto half = static_cast<uint16_t>(bits);
    const float x = Half::ToFloat(half);
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(Half::ToFloat(Half::From(x))));
      continue;
    }
    ASSERT_EQ(Half::From(x), half);
    if (bits >= 1 << 15 || !std::isfinite(x)) continue;
    const float next = Half::ToFloat(static_cast<uint16_t>(bits + 1));
    if (!std::isfinite(next)) continue;
    for (const float share : {0.25f, 0.5f, 0.75f}) {
      const float between = x + share * (next - x);
      ExpectNearest<Half>(between, Half::From(between));
      ASSERT_EQ(Half::From(-between), Half::From(between) | 0x8000);
    }
  }
  EXPECT_EQ(Half::ToFloat(Half::From(largest)), largest);
  EXPECT_EQ(Half::ToFloat(Half::From(-kInf)), -kInf);
  EXPECT_EQ(Half::ToFloat(Half::From(std::numeric_limits<float>::max())), kInf);
  EXPECT_EQ(Half::ToFloat(Half::From(smallest)), smallest);
  EXPECT_TRUE(std::isnan(Half::ToFloat(Half::From(std::nanf("")))));
  EXPECT_TRUE(std::signbit(Half::ToFloat(Half::From(-0.f))));
}

TEST(HalfTest, Float16IsTheNearest) { ExpectRounds<Float16>(65504, std::ldexp(1.f, -24)); }

TEST(HalfTest, BFloat16IsTheNearest) {
  ExpectRounds<BFloat16>(std::ldexp(255.f, 120), std::ldexp(1.f, -133));
}

// The numbers are those of torch.tensor(x).half() and .bfloat16().
TEST(HalfTest, RoundsToKnownNumbers) {
  EXPECT_EQ(Rounded(Precision::kFloat16, 1.0004883f), 1.0f);
  EXPECT_EQ(Rounded(Precision::kFloat16, 3.14159265f), 3.140625f);
  EXPECT_EQ(Rounded(Precision::kFloat16, 65519.f), 65504.f);
  EXPECT_EQ(Rounded(Precision::kFloat16, 65520.f), kInf);
  EXPECT_EQ(Rounded(Precision::kFloat16, 1e-8f), 0);
  EXPECT_EQ(Rounded(Precision::kBFloat16, 3.14159265f), 3.140625f);
  EXPECT_EQ(Rounded(Precision::kBFloat16, 1.01f), 1.0078125f);
  EXPECT_EQ(Rounded(Precision::kBFloat16, 1e-40f), std::ldexp(1.f, -133));
  EXPECT_EQ(Rounded(Precision::kTf32, 1.0004883f), 1.0004883f);
}

std::vector<float> Numbers(int64_t n) {
  std::vector<float> x(n);
  for (int64_t i = 0; i < n; ++i) x[i] = Philox{5, 1, 0}.Gaussian(i);
  return x;
}

template <typename Half>
void ExpectLanesAsTheKernel(Precision precision) {
  Context ctx;
  ctx.precision = precision;
  for (const int64_t n : {1, 4, 7, 64})
    for (const int64_t offset : {0, 1}) {  // begins with a lane, or one number later
      const std::vector<float> x = Numbers(n + 1);
      std::vector<uint16_t> want(n), got(n + 1);
      ToHalf(ctx, x.data() + offset, want.data(), n);
      const ToHalfLanes<Half> to = {x.data() + offset, got.data() + offset, n};
      RunElements((n + 3) / 4, to);
      EXPECT_EQ(std::vector<uint16_t>(got.begin() + offset, got.begin() + offset + n), want);
      std::vector<float> back(n), lanes(n + 1);
      FromHalf(ctx, want.data(), back.data(), n);
      const FromHalfLanes<Half> from = {got.data() + offset, lanes.data() + offset, n};
      RunElements((n + 3) / 4, from);
      EXPECT_EQ(std::vector<float>(lanes.begin() + offset, lanes.begin() + offset + n), back);
      for (int64_t i = 0; i < n; ++i) EXPECT_EQ(back[i], Rounded(precision, x[offset + i]));
    }
}

TEST(HalfTest, LanesAreTheKernels) {
  ExpectLanesAsTheKernel<BFloat16>(Precision::kBFloat16);
  ExpectLanesAsTheKernel<Float16>(Precision::kFloat16);
}

// Sums are added in the order of p, as in the plain kernel and a block's threads.
TEST(HalfTest, ProductsRoundTheirFactorsAlone) {
  constexpr int64_t kM = 5, kN = 70, kK = 9;
  const std::vector<float> a = Numbers(kM * kK), b = Numbers(kN * kK);
  for (const Precision precision : {Precision::kBFloat16, Precision::kFloat16}) {
    std::vector<float> want(kM * kN);
    for (int64_t i = 0; i < kM; ++i)
      for (int64_t j = 0; j < kN; ++j)
        for (int64_t p = 0; p < kK; ++p)
          want[i * kN + j] += Rounded(precision, a[i * kK + p]) * Rounded(precision, b[j * kK + p]);
    for (const bool plain : {true, false}) {
      Context ctx;
      ctx.precision = precision;
      ctx.plain = plain;
      std::vector<float> c(want.size());
      Gemm(ctx, kM, kN, kK, 1, {a.data(), kK}, Transposed(b.data(), kK), 0, c.data(), kN);
      EXPECT_EQ(c, want);
    }
    std::vector<float> c(want.size());
    const GemmTile tile = {.m = kM,
                           .n = kN,
                           .k = kK,
                           .alpha = 1,
                           .beta = 0,
                           .a = {a.data(), kK},
                           .b = Transposed(b.data(), kK),
                           .c = c.data(),
                           .ldc = kN,
                           .precision = precision};
    RunBlocks(tile.tiles(), GemmTile::kThreads, tile);
    EXPECT_EQ(c, want);
  }
}

}  // namespace
}  // namespace singa::half_test
