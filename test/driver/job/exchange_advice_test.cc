// Tests when compressed gradients are called slower than whole ones. The backward pass hides
// nothing, unless a test says so.
#include "driver/job/exchange_advice.h"

#include <gtest/gtest.h>

#include "base/text/formatted.h"
#include "driver/plan/gradient_modes.h"
#include "singa/base/str_cat.h"
#include "support/driver/given_times.h"
#include "support/driver/plan_jobs.h"

namespace singa::exchange_advice {
namespace {

constexpr double kWholeBytes = 1000;  // of two processes

std::vector<ProcessShare> Shares(double coding_ms, double bytes_a_step, double steps) {
  ProcessShare first, second;
  first.step_ms = second.step_ms = 10;
  first.coding_ms = coding_ms;
  second.coding_ms = coding_ms / 2;
  first.bytes_sent = second.bytes_sent = steps * bytes_a_step / 2;
  return {first, second};
}

class ExchangeAdviceTest : public testing::Test {
 protected:
  std::optional<std::string> Add(double coding_ms, double bytes_a_step, double steps = 200) {
    return advice_.Add(Shares(coding_ms, bytes_a_step, steps), steps, releases_);
  }

  const SteadyClock clock_{};
  GradientReleases releases_{SliceTable({Shape({10})}), 1, &clock_};
  ExchangeAdvice advice_{
      {.mode = "kTopK", .last_messages = 2, .whole = {0.5, 3}, .whole_bytes = kWholeBytes}};
};

TEST_F(ExchangeAdviceTest, IsGivenOnceAfterEnoughSteps) {
  EXPECT_FALSE(Add(2.5, 100, 199));
  EXPECT_FALSE(advice_.done());
  EXPECT_EQ(Add(2.5, 100, 1),
            "kTopK is slower than whole gradients here: a step spends 2.5 ms on encoding and "
            "1.2 ms on exposed communication; with whole gradients it would spend 3 ms");
  EXPECT_TRUE(advice_.done());
  EXPECT_FALSE(Add(2.5, 100));
}

TEST_F(ExchangeAdviceTest, IsNotGivenForBytesThatAreSavedInTime) { EXPECT_FALSE(Add(1.5, 100)); }

TEST_F(ExchangeAdviceTest, IsGivenForWorkThatSavesNoBytes) { EXPECT_TRUE(Add(0.5, 1000)); }

TEST_F(ExchangeAdviceTest, IsNotGivenForLessThanAHundredthOfAStep) {
  EXPECT_FALSE(Add(0.09, 1000));
}

TEST_F(ExchangeAdviceTest, TakesTheMeanOverAllSteps) {
  EXPECT_FALSE(Add(50, 100, 10));
  EXPECT_FALSE(Add(0.1, 100, 390)) << "slow steps at the start";
}

TEST_F(ExchangeAdviceTest, DoesNotCompareWaits) {
  std::vector<ProcessShare> shares = Shares(0.1, 100, 200);
  for (ProcessShare& share : shares) share.sync_wait_ms = 8;
  EXPECT_FALSE(advice_.Add(shares, 200, releases_));
}

TEST_F(ExchangeAdviceTest, CountsTheWorkOfTheThreadThatExchanges) {
  std::vector<ProcessShare> shares = Shares(0, 100, 200);
  shares[1].work_ms = 2.5;
  EXPECT_TRUE(advice_.Add(shares, 200, releases_));
}

TEST_F(ExchangeAdviceTest, CountsTheMessagesOfEachThinMatrix) {
  ExchangeAdvice thin(
      {.mode = "kPowerSGD", .last_messages = 4, .whole = {1.5, 3.5}, .whole_bytes = kWholeBytes});
  EXPECT_TRUE(thin.Add(Shares(0, 100, 200), 200, releases_)) << "6.05 ms and 3.5 ms";
}

TEST_F(ExchangeAdviceTest, PredictsWhatAPlanPredicts) {
  PlanCluster cluster = WorkersOn(2, 2);
  cluster.link_gbit = 8e-3;
  cluster.link_us = 500;  // of a message
  GivenTimes timer(30);
  const JobCosts costs(ImageJob(), cluster, {.send_ms_per_mb = 0, .message_us = 0});
  const std::vector<PartTimes> times = timer.Of(costs.requests());
  const Layouts by_rows(costs.Net(times).layers.size(), LayoutByRows(2));
  const auto exposed_ms = [&](const ExchangeForm& form) {
    return Predict({.name = "mode", .way = "servers", .form = form}, costs, times, by_rows)
        .exposed_ms;
  };
  const double whole = exposed_ms({}), tenth = exposed_ms({.gradient = 0.1, .sum = 0.1});
  ExchangeAdvice advice(
      {.mode = "kTopK", .last_messages = 2, .whole = {0.5, whole}, .whole_bytes = kWholeBytes});
  EXPECT_EQ(
      advice.Add(Shares(50, kWholeBytes / 10, 200), 200, releases_),
      StrCat("kTopK is slower than whole gradients here: a step spends 50 ms on encoding and ",
             MsText(tenth), " on exposed communication; with whole gradients it would spend ",
             MsText(whole)));
}

TEST_F(ExchangeAdviceTest, SaysNothingWhereNothingIsKnown) {
  EXPECT_FALSE(advice_.Add({}, 1000, releases_));
  ExchangeAdvice none({.mode = "kTopK", .whole = {}, .whole_bytes = 0});
  EXPECT_FALSE(none.Add(Shares(9, 100, 200), 200, releases_));
}

// The last of ten slices is released at the end of the pass, and the others long before. Nothing
// hides the two messages of 0.5 ms.
TEST_F(ExchangeAdviceTest, ComparesOnlyWhatTheBackwardPassDoesNotHide) {
  class MovedClock final : public Clock {
   public:
    int64_t Now() const override { return now; }
    int64_t now = 0;
  } clock;
  const SliceTable table(std::vector<Shape>(10, Shape({1000})));
  GradientReleases hides(table, 1, &clock);
  for (int step = 0; step < 5; ++step) {
    for (int slice = 0; slice < 10; ++slice) {
      clock.now += 10 * kMillisecond;
      hides.OnSum(slice, step);
      hides.OnSubmitted(slice, step);
    }
    hides.EndStep();
  }
  EXPECT_EQ(advice_.Add(Shares(0.4, 100, 200), 200, hides),
            "kTopK is slower than whole gradients here: a step spends 0.4 ms on encoding and "
            "1.02 ms on exposed communication; with whole gradients it would spend 1.2 ms");
}

}  // namespace
}  // namespace singa::exchange_advice
