// Tests the products of PowerSGD.
#include "comm/codec/low_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "singa/base/philox.h"

namespace singa::low_rank {
namespace {

std::vector<float> Noise(int64_t n, uint32_t step) {
  const Philox random{.seed = 1, .purpose = 2, .step = step};
  std::vector<float> floats(n);
  for (int64_t i = 0; i < n; ++i) floats[i] = random.Gaussian(i);
  return floats;
}

// Returns the approximation of M after one step that begins with Q.
std::vector<float> Approximation(const LowRankShape& shape, const std::vector<float>& m,
                                 std::vector<float> q) {
  std::vector<float> p(shape.p_size()), result(shape.size());
  TimesQ(shape, m, q, p);
  Orthonormalize(shape, p);
  TransposedTimesP(shape, m, p, q);
  Expand(shape, p, q, result);
  return result;
}

double Dot(const LowRankShape& shape, const std::vector<float>& p, int64_t a, int64_t b) {
  double sum = 0;
  for (int64_t row = 0; row < shape.rows; ++row)
    sum += double{p[row * shape.rank + a]} * p[row * shape.rank + b];
  return sum;
}

TEST(LowRank, AFullRankGivesTheMatrixBack) {
  for (const LowRankShape& shape :
       {LowRankShape{9, 5, 5}, {4, 9, 4}, {1, 7, 1}, {7, 1, 1}, {1, 1, 1}}) {
    const std::vector<float> m = Noise(shape.size(), 0);
    const std::vector<float> near = Approximation(shape, m, Noise(shape.q_size(), 1));
    for (int64_t i = 0; i < shape.size(); ++i)
      EXPECT_NEAR(near[i], m[i], 1e-5) << shape.rows << " x " << shape.cols;
  }
}

TEST(LowRank, AMatrixOfThatRankIsGivenBack) {
  const LowRankShape shape{20, 30, 2};
  std::vector<float> m(shape.size());
  Expand(shape, Noise(shape.p_size(), 0), Noise(shape.q_size(), 1), m);
  const std::vector<float> near = Approximation(shape, m, Noise(shape.q_size(), 2));
  for (int64_t i = 0; i < shape.size(); ++i) EXPECT_NEAR(near[i], m[i], 2e-5);
}

TEST(LowRank, ColumnsBecomeOrthonormal) {
  const LowRankShape shape{50, 3, 4};
  std::vector<float> p = Noise(shape.p_size(), 0);
  for (int64_t row = 0; row < shape.rows; ++row)
    p[row * 4 + 1] = 3 * p[row * 4] + 1e-3f * p[row * 4 + 1];
  Orthonormalize(shape, p);
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t b = 0; b < 4; ++b) EXPECT_NEAR(Dot(shape, p, a, b), a == b, 1e-5) << a << b;
}

TEST(LowRank, AColumnThatDependsOnOthersBecomesZero) {
  const LowRankShape shape{10, 3, 3};
  std::vector<float> p = Noise(shape.p_size(), 0);
  for (int64_t row = 0; row < shape.rows; ++row) p[row * 3 + 2] = p[row * 3] - 2 * p[row * 3 + 1];
  Orthonormalize(shape, p);
  EXPECT_EQ(Dot(shape, p, 2, 2), 0);
  std::vector<float> zero(shape.p_size());
  Orthonormalize(shape, zero);
  EXPECT_EQ(zero, std::vector<float>(shape.p_size())) << "no NaN";
}

TEST(LowRank, OnlyColumnsOfZerosAreRenewedAlike) {
  const LowRankShape shape{3, 4, 2};
  std::vector<float> q = {1, 0, 0, 0, 0, 0, 2, 0}, again = q, later = q;
  RenewColumns(shape, {.purpose = 7, .step = 1}, q);
  RenewColumns(shape, {.purpose = 7, .step = 1}, again);
  RenewColumns(shape, {.purpose = 7, .step = 2}, later);
  EXPECT_EQ(q, again);
  EXPECT_NE(q, later);
  for (int64_t col = 0; col < 4; ++col) {
    EXPECT_EQ(q[col * 2], col == 0 ? 1 : col == 3 ? 2 : 0);
    EXPECT_NE(q[col * 2 + 1], 0);
  }
}

}  // namespace
}  // namespace singa::low_rank
