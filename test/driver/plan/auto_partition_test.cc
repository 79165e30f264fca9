#include "driver/plan/auto_partition.h"

#include <gtest/gtest.h>

#include "driver/job/divided_job.h"
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

TEST(AutoPartition, OfAJobOnThisMachineIsChosenAfterATrial) {
  PlanCluster cluster = WorkersOn(2);
  const AutoPartition chosen = ChoosePartition(ImageJob(), cluster, UsableMemory(), true);
  EXPECT_EQ(chosen.workers, 2);
  EXPECT_GT(chosen.predicted_ms, 0);
  EXPECT_GT(chosen.predicted_bytes, 0);
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
