// Tests when compressed gradients are called slower than whole ones.
#include "driver/job/exchange_advice.h"

#include <gtest/gtest.h>

namespace singa::exchange_advice {
namespace {

std::vector<ProcessShare> Shares(double first_ms, double second_ms, double coding_ms = 0) {
  ProcessShare first, second;
  first.sync_wait_ms = first_ms;
  second.sync_wait_ms = second_ms;
  first.coding_ms = second.coding_ms = coding_ms;
  return {first, second};
}

TEST(ExchangeAdvice, IsGivenOnceAfterEnoughSteps) {
  ExchangeAdvice advice("kTopK", 2);
  EXPECT_FALSE(advice.Add(Shares(3, 4), 199));
  EXPECT_EQ(
      advice.Add(Shares(3, 4), 1),
      "kTopK is slower than whole gradients here: a step spends 3 ms on encoding and waiting, "
      "and an exchange of whole gradients takes 2 ms");
  EXPECT_FALSE(advice.Add(Shares(3, 4), 200));
}

TEST(ExchangeAdvice, CountsTheTimeOfEncoding) {
  EXPECT_FALSE(ExchangeAdvice("kTopK", 2).Add(Shares(1.5, 1.5), 200));
  EXPECT_TRUE(ExchangeAdvice("kTopK", 2).Add(Shares(1.5, 1.5, 1), 200));
}

TEST(ExchangeAdvice, DoesNotBlameTheLinkForASlowProcess) {
  EXPECT_FALSE(ExchangeAdvice("kTopK", 2).Add(Shares(50, 1), 200));
}

TEST(ExchangeAdvice, TakesTheMeanOverAllSteps) {
  ExchangeAdvice advice("kFp16", 2);
  EXPECT_FALSE(advice.Add(Shares(10, 10), 10));
  EXPECT_FALSE(advice.Add(Shares(1, 1), 300)) << "slow steps at the start";
}

TEST(ExchangeAdvice, SaysNothingWhereNothingIsKnown) {
  EXPECT_FALSE(ExchangeAdvice("kTopK", 0).Add(Shares(9, 9), 1000));
  EXPECT_FALSE(ExchangeAdvice("kTopK", 1).Add({}, 1000));
}

}  // namespace
}  // namespace singa::exchange_advice
