#include "math/elementwise/vector_math.h"

#include <gtest/gtest.h>

#include <limits>

namespace singa {
namespace {

// Returns |got - want| in units of the last place of want's float.
double Ulps(float got, double want) {
  const auto nearest = static_cast<float>(want);
  if (got == nearest) return 0;
  if (!std::isfinite(nearest)) return std::numeric_limits<double>::infinity();
  const float next = std::nextafter(std::abs(nearest), std::numeric_limits<float>::infinity());
  return std::abs(double{got} - want) / (double{next} - std::abs(nearest));
}

// Returns the worst error of f over every 1009th float, with denormals and both signs.
template <typename F, typename G>
double WorstError(F f, G exact) {
  double worst = 0;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 1009) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(x)) worst = std::max(worst, Ulps(f(x), exact(double{x})));
  }
  return worst;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(VectorMathTest, ExpIsWithinTwoUnitsInTheLastPlace) {
  EXPECT_LE(WorstError(VectorExp, [](double x) { return std::exp(x); }), 2);
}

TEST(VectorMathTest, ExpReachesItsLimits) {
  EXPECT_EQ(VectorExp(0), 1);
  EXPECT_EQ(VectorExp(-0.f), 1);
  EXPECT_EQ(VectorExp(kInfinity), kInfinity);
  EXPECT_EQ(VectorExp(-kInfinity), 0);
  EXPECT_EQ(VectorExp(88.8f), kInfinity);
  EXPECT_EQ(VectorExp(-103), std::numeric_limits<float>::denorm_min());
  EXPECT_TRUE(std::isnan(VectorExp(kNan)));
}

TEST(VectorMathTest, TanhIsWithinTwoUnitsInTheLastPlace) {
  EXPECT_LE(WorstError(VectorTanh, [](double x) { return std::tanh(x); }), 2);
}

TEST(VectorMathTest, TheNormalDistributionIsWithinSixUnitsInTheLastPlace) {
  const auto below = [](float x) { return VectorNormal(x).below; };
  EXPECT_LE(WorstError(below, [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }), 6);
  const auto density = [](float x) { return VectorNormal(x).density; };
  const double root = std::sqrt(2 * std::acos(-1.0));
  EXPECT_LE(WorstError(density, [root](double x) { return std::exp(-x * x / 2) / root; }), 2);
}

TEST(VectorMathTest, TheNormalDistributionReachesItsLimits) {
  EXPECT_NEAR(VectorNormal(0).below, 0.5f, 1e-7);
  EXPECT_EQ(VectorNormal(kInfinity).below, 1);
  EXPECT_EQ(VectorNormal(-kInfinity).below, 0);
  for (const float x : {-kInfinity, -15.f, 15.f, kInfinity}) EXPECT_EQ(VectorNormal(x).density, 0);
  EXPECT_TRUE(std::isnan(VectorNormal(kNan).below));
  EXPECT_TRUE(std::isnan(VectorNormal(kNan).density));
}

TEST(VectorMathTest, TanhReachesItsLimits) {
  EXPECT_EQ(VectorTanh(kInfinity), 1);
  EXPECT_EQ(VectorTanh(-kInfinity), -1);
  EXPECT_EQ(VectorTanh(0), 0);
  EXPECT_TRUE(std::signbit(VectorTanh(-0.f)));
  EXPECT_TRUE(std::isnan(VectorTanh(kNan)));
}

}  // namespace
}  // namespace singa
