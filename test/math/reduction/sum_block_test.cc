// Compares sums of a device's blocks with the plain kernels.
#include "math/reduction/sum_block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "math/finite.h"
#include "math/reduction/sum.h"
#include "math/reduction/sum_elements.h"
#include "support/emulated_block.h"
#include "support/random_values.h"

namespace singa {
namespace {

using Values = std::vector<float>;
constexpr int kSumThreads = 64;

struct StoreSum {
  double* sum;
  void operator()(int64_t, const Sums<1>& sums) const { *sum = sums[0]; }
};

// Sums as the launches do: first parts, then the sum of the parts.
template <size_t N, typename Term, typename Finish>
void SumInParts(int64_t n, int64_t parts, const Term& term, const Finish& finish) {
  if (parts == 1) return RunBlocks(1, kSumThreads, SumBlock<N, Term, Finish>{term, n, 1, finish});
  std::vector<Sums<N>> partial(parts);
  RunBlocks(parts, kSumThreads, SumBlock<N, Term, StoreSums<N>>{term, n, parts, {partial.data()}});
  RunBlocks(1, kSumThreads, SumBlock<N, LoadSums<N>, Finish>{{partial.data()}, parts, 1, finish});
}

TEST(SumBlockTest, EqualsPlainSums) {
  for (int64_t n : {0, 1, 63, 64, 65, 5000})
    for (int64_t parts : {1, 3, 70}) {
      SCOPED_TRACE(n);
      const Values x = RandomValues("x", n);
      double cell[2] = {5, 7}, want[2] = {5, 7};
      Context ctx;
      ctx.plain = true;
      AddSum(ctx, x.data(), want, n, 2.5);
      SumInParts<1>(n, parts, NumberTerm{x.data()}, AddSumToCell{cell, 2.5});
      EXPECT_NEAR(cell[0], want[0], 1e-11);  // float64, added in another order
      EXPECT_EQ(cell[1], want[1]);
    }
}

TEST(SumBlockTest, GivesTheSameBitsEachTime) {
  const Values x = RandomValues("x", 3001);
  double first = 0, second = 0;
  SumInParts<1>(3001, 3, NumberTerm{x.data()}, StoreSum{&first});
  SumInParts<1>(3001, 3, NumberTerm{x.data()}, StoreSum{&second});
  EXPECT_EQ(first, second);
}

TEST(SumBlockTest, SumOfSquaresEqualsPlainAlignedOrNot) {
  for (int64_t n : {0, 1, 3, 4, 5, 1027}) {
    alignas(16) float memory[1032];
    const Values x = RandomValues("x", n);
    Context ctx;
    const double want = SumOfSquares(ctx, x.data(), n);
    double sums[2] = {-1, -1};
    for (int shift : {0, 1}) {
      std::copy(x.begin(), x.end(), memory + shift);
      const LoadFour load = {memory + shift, n, AlignedTo<4>(memory + shift)};
      EXPECT_EQ(load.aligned, shift == 0);
      SumInParts<1>((n + 3) / 4, 2, SquaresTerm{load}, StoreSum{&sums[shift]});
    }
    EXPECT_NEAR(sums[0], want, 1e-12 * want);
    EXPECT_EQ(sums[0], sums[1]) << "the order depends on the address";
  }
}

bool FoundFinite(const Values& x, bool aligned) {
  const auto n = static_cast<int64_t>(x.size());
  bool finite = true;
  for (int64_t q = 0; q < (n + 3) / 4; ++q)
    ClearIfBad{{x.data(), n, aligned && AlignedTo<4>(x.data())}, &finite}(q);
  return finite;
}

TEST(SumBlockTest, FindsOneBadNumberAnywhere) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float most = std::numeric_limits<float>::max();
  for (bool aligned : {false, true}) {
    EXPECT_TRUE(FoundFinite({}, aligned));
    EXPECT_TRUE(FoundFinite(Values(9, most), aligned));
    EXPECT_TRUE(FoundFinite({std::numeric_limits<float>::denorm_min(), -0.f}, aligned));
    for (float bad : {kInf, -kInf, std::numeric_limits<float>::quiet_NaN(),
                      -std::numeric_limits<float>::quiet_NaN()})
      for (size_t at = 0; at < 9; ++at) {
        Values x(9, most);
        x[at] = bad;
        EXPECT_FALSE(FoundFinite(x, aligned)) << at;
      }
  }
}

TEST(SumBlockTest, CellTakesUpBothSums) {
  double cell[2] = {1, 2};
  AddToCell{cell, 0.5}(0, {8, 3});
  EXPECT_EQ(cell[0], 5);
  EXPECT_EQ(cell[1], 5);
}

}  // namespace
}  // namespace singa
