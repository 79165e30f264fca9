#include "math/finite.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace singa {
namespace {

TEST(AllFinite, FindsOneBadNumberAnywhere) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  Context ctx;
  ctx.threads = 2;
  std::vector<float> x(100'003, std::numeric_limits<float>::max());
  EXPECT_TRUE(AllFinite(ctx, x.data(), static_cast<int64_t>(x.size())));
  for (float bad : {kInf, -kInf, kNone, -kNone})
    for (size_t at : {size_t{0}, size_t{4095}, size_t{50'001}, x.size() - 1}) {
      std::swap(x[at], bad);
      EXPECT_FALSE(AllFinite(ctx, x.data(), static_cast<int64_t>(x.size()))) << at;
      std::swap(x[at], bad);
    }
}

TEST(AllFinite, TakesNoNumbersAndDenormalsAsFinite) {
  Context ctx;
  const float denormal = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(AllFinite(ctx, nullptr, 0));
  EXPECT_TRUE(AllFinite(ctx, &denormal, 1));
}

TEST(SumOfSquares, AddsInFloat64) {
  Context ctx;
  std::vector<float> x(5'000'001, 1e-3f);
  x[0] = 1e4f;
  const double small = double{1e-3f} * 1e-3f;
  EXPECT_NEAR(SumOfSquares(ctx, x.data(), 5'000'001), 1e8 + 5e6 * small, 1e-6);
}

TEST(SumOfSquares, GivesTheSameBitsWithAnyNumberOfThreads) {
  Context one, three;
  three.threads = 3;
  std::vector<float> x;
  for (int i = 0; i < 300'007; ++i) x.push_back(static_cast<float>(i % 1013) / 7);
  const int64_t n = static_cast<int64_t>(x.size());
  EXPECT_EQ(SumOfSquares(one, x.data(), n), SumOfSquares(three, x.data(), n));
}

}  // namespace
}  // namespace singa
