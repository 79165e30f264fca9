#include "driver/plan/auto_partition.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "driver/job/divided_job.h"
#include "io/temp_dir.h"
#include "support/driver/given_times.h"
#include "support/driver/plan_jobs.h"
#include "support/driver/some_partition.h"
#include "train/trainer/job_memory.h"

namespace singa::auto_partition {
namespace {

TEST(AutoPartition, IsDescribedForPeople) {
  EXPECT_EQ(
      Describe(SomePartition()),
      "by units: fc \"2\", fc1; in 2 x 2 parts: conv; predicted 1.5 ms a step, by rows alone 3 ms; "
      "measured 2 ms, by rows alone 4 ms; it is a test");
  AutoPartition rows;
  rows.why = "the group has one worker";
  EXPECT_EQ(Describe(rows), "all layers by rows; the group has one worker");
}

TEST(AutoPartition, DividesAJob) {
  JobProto job = ImageJob();
  Divide(SomePartition(), &job);
  EXPECT_EQ(job.neuralnet().layer(4).partition_dim(), 1);
  EXPECT_EQ(job.neuralnet().layer(1).partition_grid().rows(), 2);
  EXPECT_EQ(job.neuralnet().layer(2).partition_dim(), 0);
}

TEST(AutoPartition, IsWhatRankZeroTells) {
  EXPECT_EQ(DivisionOf(ProtoOf(SomePartition().division)), SomePartition().division);
}

// By the given times, fc1 is far faster by units, unless a test says otherwise.
class ChoiceTest : public testing::Test {
 protected:
  ChoiceTest() { setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~ChoiceTest() override { unsetenv("XDG_CACHE_HOME"); }

  static AutoPartition Choose(int64_t most_bytes, bool measure, double units_ms = 2) {
    GivenTimes timer(units_ms);
    return ChoosePartition(ImageJob(), WorkersOn(2), most_bytes, measure, &timer);
  }

 private:
  TempDir folder_;
};

TEST_F(ChoiceTest, OnThisMachineIsMadeAfterATrial) {
  const AutoPartition chosen = Choose(UsableMemory(), true);
  EXPECT_EQ(chosen.workers, 2);
  EXPECT_GT(chosen.measured_ms, 0);
  EXPECT_GT(chosen.measured_data_ms, 0);
  EXPECT_EQ(chosen.division.count("fc1") + chosen.tried.count("fc1"), 1u);
  EXPECT_GT(chosen.predicted_bytes, 0);
}

TEST_F(ChoiceTest, WithoutATrialIsThePrediction) {
  const AutoPartition chosen = Choose(UsableMemory(), false);
  EXPECT_EQ(chosen.division.count("fc1"), 1u);
  EXPECT_LT(chosen.predicted_ms, chosen.predicted_data_ms);
  EXPECT_EQ(chosen.measured_ms, 0);
  EXPECT_EQ(chosen.why, "");
}

// Bridges have nodes, whose memory the search does not know.
TEST_F(ChoiceTest, IsDataParallelismIfTheFastestPlanNeedsMoreMemory) {
  const int64_t data = Choose(UsableMemory(), false, 99).predicted_bytes;
  ASSERT_LT(data, Choose(UsableMemory(), false).predicted_bytes);
  const AutoPartition chosen = Choose(data, true);
  EXPECT_TRUE(chosen.division.empty());
  EXPECT_EQ(chosen.predicted_bytes, data);
  EXPECT_EQ(chosen.measured_ms, 0);
  EXPECT_EQ(chosen.why, "a faster plan needs more memory than a worker may use");
}

// Plans by units and by rows, measured in a trial.
AutoPartition Decided(double units_ms, double data_ms) {
  JobPlans plans;
  plans.cluster = WorkersOn(2);
  JobPlan units, data;
  units.division = {{"fc1", LayoutByUnits(2)}};
  units.measured_ms = units_ms;
  data.name = "data";
  data.measured_ms = data_ms;
  plans.plans = {data};
  return DecideByTrial(plans, units, data);
}

TEST(AutoPartition, TakesAPlanThatIsFasterInATrial) {
  const AutoPartition chosen = Decided(9, 10);
  EXPECT_EQ(chosen.division.count("fc1"), 1u);
  EXPECT_EQ(chosen.measured_ms, 9);
  EXPECT_EQ(chosen.measured_data_ms, 10);
  EXPECT_EQ(chosen.why, "");
}

TEST(AutoPartition, KeepsDataParallelismUnlessAPlanIsFasterByTwoPercent) {
  for (const double ms : {9.9, 10.0, 11.0}) {
    const AutoPartition chosen = Decided(ms, 10);
    EXPECT_TRUE(chosen.division.empty()) << ms;
    EXPECT_EQ(chosen.measured_ms, 10);
    EXPECT_EQ(chosen.tried.count("fc1"), 1u);
    EXPECT_EQ(chosen.tried_ms, ms);
    EXPECT_NE(chosen.why.find("in a trial"), std::string::npos);
  }
}

}  // namespace
}  // namespace singa::auto_partition
