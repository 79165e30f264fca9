#include "driver/job/group_loop.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "support/driver/small_job.h"
#include "train/state/init_params.h"

namespace singa::group_loop {
namespace {

class GroupLoopTest : public testing::Test {
 protected:
  // Makes the loop of a job with these settings. Its rows go to `kept_`.
  GroupLoop& Start(const std::string& settings, bool writes = true) {
    job_ = SmallJob("none", settings);
    groups_ = std::make_unique<WorkerGroups>(job_, 1);
    groups_->Allocate();
    InitParams(groups_->lead().model().ctx(), {}, &groups_->lead().model().params());
    groups_->Start(job_.train_steps());
    schedule_.emplace(ScheduleOf(job_, &groups_->lead()));
    return loop_.emplace(groups_.get(), 0, *schedule_, writes ? &kept_ : nullptr);
  }

  JobProto job_;
  KeptMetrics kept_;
  std::unique_ptr<WorkerGroups> groups_;
  std::optional<Schedule> schedule_;
  std::optional<GroupLoop> loop_;
};

TEST_F(GroupLoopTest, CountsEpochsOfTheJobsRecords) {
  Start("train_epochs: 5");
  EXPECT_EQ(schedule_->steps(), 15);  // 12 records by 4
}

TEST_F(GroupLoopTest, WritesARowForEachLayerWithMetricsWhenItIsDue) {
  GroupLoop& loop = Start("train_steps: 9 disp_freq: 2");
  EXPECT_TRUE(loop.TrainStep(0));
  EXPECT_FALSE(loop.TrainStep(1));
  EXPECT_TRUE(loop.TrainStep(2));
  ASSERT_EQ(kept_.rows.size(), 2u);
  const MetricsRow& row = kept_.rows[1];
  EXPECT_EQ(row.phase, "train");
  EXPECT_EQ(row.step, 2);
  EXPECT_EQ(row.group, 0);
  EXPECT_EQ(row.layer, "loss");
  EXPECT_EQ(row.bad_records, 0);
  EXPECT_FLOAT_EQ(static_cast<float>(*row.Find("lr")), 0.05f);
  EXPECT_EQ(*row.Find("epoch"), 1);
  EXPECT_GT(*row.Find("samples_per_second"), 0);
  EXPECT_EQ(row.Find("grad_norm"), nullptr);
}

TEST_F(GroupLoopTest, NotesEachStep) {
  GroupLoop& loop = Start("train_steps: 9");
  for (int64_t step = 0; step < 3; ++step) {
    loop.TrainStep(step);
    EXPECT_EQ(groups_->steps().done(), std::vector<int64_t>{step + 1});
  }
}

// The metrics of a row are of the steps since the row before.
TEST_F(GroupLoopTest, BeginsEachRowWithNewMeans) {
  GroupLoop& loop = Start("train_steps: 9 disp_freq: 2");
  loop.TrainStep(0);
  loop.TrainStep(1);
  const MetricSums sums = groups_->team(0).metrics().Sum();
  ASSERT_FALSE(sums.entries().empty());
  EXPECT_EQ(sums.entries()[0].weight, 4);  // rows of one step
}

TEST_F(GroupLoopTest, MeasuresTheNormThatClippingComputes) {
  GroupLoop& loop = Start("train_steps: 9 disp_freq: 1 updater { clip_norm: 100 }");
  loop.TrainStep(0);
  ASSERT_NE(kept_.rows.at(0).Find("grad_norm"), nullptr);
  EXPECT_GT(*kept_.rows[0].Find("grad_norm"), 0);
}

TEST_F(GroupLoopTest, ComparesTheMemoryOfSeveralWorkersWithThePlanned) {
  GroupLoop& loop = Start("train_steps: 9 disp_freq: 1 cluster { nworkers_per_group: 2 }");
  loop.TrainStep(0);
  const MetricsRow& row = kept_.rows.at(0);
  ASSERT_NE(row.Find("memory_mb"), nullptr);
  EXPECT_GT(*row.Find("memory_mb"), *row.Find("predicted_memory_mb"));
  EXPECT_EQ(*row.Find("predicted_memory_mb"),
            1e-6 * static_cast<double>(groups_->memory().host.total()));
}

TEST_F(GroupLoopTest, HasNoMemoryOfOneWorker) {
  Start("train_steps: 9 disp_freq: 1").TrainStep(0);
  EXPECT_EQ(kept_.rows.at(0).Find("memory_mb"), nullptr);
}

TEST_F(GroupLoopTest, WritesNoRowsIfAnotherProcessDoes) {
  GroupLoop& loop = Start("train_steps: 9 disp_freq: 1", false);
  EXPECT_TRUE(loop.TrainStep(0));
  EXPECT_TRUE(kept_.rows.empty());
}

// The third request to stop comes before the third batch.
TEST_F(GroupLoopTest, AStepOfSeveralBatchesIsAbandonedBetweenThem) {
  GroupLoop& loop = Start("train_steps: 9 disp_freq: 1 accumulate_steps: 3");
  EXPECT_TRUE(loop.TrainStep(0));
  int asked = 0;
  EXPECT_FALSE(loop.TrainStep(1, [&asked] { return ++asked == 3; }));
  EXPECT_TRUE(loop.abandoned());
  EXPECT_EQ(kept_.rows.size(), 1u);
  EXPECT_EQ(groups_->steps().done(), std::vector<int64_t>{1});
  EXPECT_TRUE(loop.TrainStep(1, [] { return false; }));
  EXPECT_FALSE(loop.abandoned());
}

TEST_F(GroupLoopTest, AStepOfOneBatchIsNotAbandoned) {
  GroupLoop& loop = Start("train_steps: 9 disp_freq: 1");
  EXPECT_TRUE(loop.TrainStep(0, [] { return true; }));
  EXPECT_FALSE(loop.abandoned());
}

TEST_F(GroupLoopTest, AStepOfSeveralGroupsIsNotAbandoned) {
  GroupLoop& loop = Start(
      "train_steps: 9 disp_freq: 1 accumulate_steps: 3 "
      "cluster { nworker_groups: 2 nworkers_per_procs: 2 }");
  EXPECT_TRUE(loop.TrainStep(0, [] { return true; }));
  EXPECT_FALSE(loop.abandoned());
}

TEST_F(GroupLoopTest, WaitsForRecords) {
  GroupLoop& loop = Start("train_steps: 9");
  EXPECT_TRUE(loop.AwaitRecords([] { return false; }));
}

}  // namespace
}  // namespace singa::group_loop
