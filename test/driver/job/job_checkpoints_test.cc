// Tests the checkpoints of a job by themselves. ../best_link_test.cc tests the link to the best one
// on a disk that refuses it.
#include "driver/job/job_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <set>

#include "driver/job/previous_run.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/retention.h"
#include "io/temp_dir.h"
#include "support/driver/small_job.h"
#include "support/forwarding_files.h"
#include "train/state/init_params.h"

namespace singa::job_checkpoints {
namespace {

using testing::HasSubstr;
using Steps = std::vector<int64_t>;

// FullDisk refuses new files while it is full.
struct FullDisk final : ForwardingFiles {
  std::unique_ptr<WritableFile> Create(const std::string& path) override {
    if (full) throw WriteError(kExitIo, path, "cannot be written", ENOSPC);
    return ForwardingFiles::Create(path);
  }
  bool full = false;
};

// CheckpointRun is the part of a training that writes checkpoints.
struct CheckpointRun {
  CheckpointRun(const JobProto& its_job, FileSystem* files)
      : job(its_job), workspace(job.cluster().workspace(), {.files = files}), groups(job, 1) {
    groups.Allocate();
    InitParams(groups.lead().model().ctx(), {}, &groups.lead().model().params());
    checkpoints.OnCommit([this] { ++commits; });
  }
  // Sets all params of the net.
  void Fill(float value) {
    for (const auto& param : groups.lead().model().params().params())
      std::fill_n(param->data.data(), param->size(), value);
  }

  const JobProto job;
  Workspace workspace;
  WorkerGroups groups;
  JobSnapshot snapshot{&groups};
  Progress progress;
  int rows_synced = 0, commits = 0;
  JobCheckpoints checkpoints{job,       workspace, &groups,
                             &snapshot, &progress, [this] { ++rows_synced; }};
};

class JobCheckpointsTest : public testing::Test {
 protected:
  std::unique_ptr<CheckpointRun> Start(const std::string& settings = "") {
    auto run = std::make_unique<CheckpointRun>(SmallJob(workspace_, "train_steps: 50 " + settings),
                                               &files_);
    run->groups.Start(50);
    return run;
  }
  // Returns what a new run says when it resumes, with the step that it found.
  std::string SaidAtResume(const std::string& settings, std::optional<int64_t> step) {
    CheckpointRun run(SmallJob(workspace_, "train_steps: 50 " + settings), &files_);
    testing::internal::CaptureStderr();
    EXPECT_EQ(run.checkpoints.Resume(), step);
    return testing::internal::GetCapturedStderr();
  }
  // Returns the steps of the checkpoints.
  std::set<int64_t> Kept() const {
    std::set<int64_t> steps;
    for (const auto& checkpoint : ListCheckpoints(workspace_)) steps.insert(checkpoint.step);
    return steps;
  }
  static MetricSums Metric(const std::string& name, double sum, double weight = 1) {
    MetricSums sums;
    sums.entries().push_back({.layer = "layer", .name = name, .sum = sum, .weight = weight});
    return sums;
  }

  const TempDir dir_;
  const std::string workspace_ = dir_.Path("ws");
  FullDisk files_;
};

TEST_F(JobCheckpointsTest, ACommitSyncsTheRowsBeforeItIsSeen) {
  const auto run = Start();
  EXPECT_FALSE(run->checkpoints.Has(3));
  run->checkpoints.Commit(3);
  EXPECT_TRUE(run->checkpoints.Has(3));
  EXPECT_EQ(run->rows_synced, 1);
  EXPECT_EQ(run->commits, 1);
  EXPECT_EQ(Kept(), std::set<int64_t>{3});
}

TEST_F(JobCheckpointsTest, AStepIsCommittedOnce) {
  const auto run = Start();
  run->checkpoints.Commit(3);
  run->checkpoints.Commit(3);
  run->checkpoints.CommitLast(3);
  EXPECT_EQ(run->commits, 1);
}

TEST_F(JobCheckpointsTest, OldOnesAreRemoved) {
  const auto run = Start("checkpoint_keep: 2");
  for (const int64_t step : {1, 2, 3, 4}) run->checkpoints.Commit(step);
  EXPECT_EQ(Kept(), (std::set<int64_t>{3, 4}));
}

TEST_F(JobCheckpointsTest, AFirstCommitRemovesTheOldestRun) {
  const auto run = Start();
  std::filesystem::create_directories(OldestRunFolder(workspace_));
  run->checkpoints.Commit(1);
  EXPECT_FALSE(std::filesystem::exists(OldestRunFolder(workspace_)));
}

TEST_F(JobCheckpointsTest, TheLeastLossIsTheBest) {
  const auto run = Start("checkpoint_best: 'loss'");
  run->checkpoints.NoteBest(Metric("loss", 0.5), 2);
  EXPECT_EQ(BestStep(workspace_), 2);
  run->checkpoints.NoteBest(Metric("loss", 0.75), 4);
  EXPECT_EQ(BestStep(workspace_), 2);
  EXPECT_FALSE(run->checkpoints.Has(4));
  run->checkpoints.NoteBest(Metric("loss", 0.5), 5);  // no better
  EXPECT_EQ(BestStep(workspace_), 2);
  run->checkpoints.NoteBest(Metric("loss", 0.25), 6);
  EXPECT_EQ(BestStep(workspace_), 6);
}

TEST_F(JobCheckpointsTest, OfOtherMetricsTheLargestIsTheBest) {
  const auto run = Start("checkpoint_best: 'accuracy'");
  run->checkpoints.NoteBest(Metric("accuracy", 0.5), 2);
  run->checkpoints.NoteBest(Metric("accuracy", 0.25), 3);
  EXPECT_EQ(BestStep(workspace_), 2);
  run->checkpoints.NoteBest(Metric("accuracy", 0.75), 4);
  EXPECT_EQ(BestStep(workspace_), 4);
}

TEST_F(JobCheckpointsTest, AWordOfAMetricsNameTellsThatLittleIsGood) {
  for (const std::string name : {"squared_error", "bits_per_character", "perplexity"}) {
    const TempDir other;
    CheckpointRun run(SmallJob(other.path(), StrCat("checkpoint_best: '", name, "'")), &files_);
    run.groups.Start(4);
    run.checkpoints.NoteBest(Metric(name, 2), 2);
    run.checkpoints.NoteBest(Metric(name, 1), 4);
    EXPECT_EQ(BestStep(other.path()), 4) << name;
  }
}

TEST_F(JobCheckpointsTest, NotANumberAndOtherMetricsAreNoBest) {
  const auto run = Start("checkpoint_best: 'accuracy'");
  run->checkpoints.NoteBest(Metric("accuracy", std::nan("")), 2);
  run->checkpoints.NoteBest(Metric("loss", 1), 2);
  EXPECT_EQ(BestStep(workspace_), std::nullopt);
  EXPECT_TRUE(Kept().empty());
}

TEST_F(JobCheckpointsTest, TheBestStaysAmongThoseThatAreKept) {
  const auto run = Start("checkpoint_best: 'accuracy' checkpoint_keep: 1");
  run->checkpoints.NoteBest(Metric("accuracy", 0.5), 1);
  for (const int64_t step : {2, 3}) run->checkpoints.Commit(step);
  EXPECT_EQ(Kept(), (std::set<int64_t>{1, 3}));
}

TEST_F(JobCheckpointsTest, ADiskThatIsFullDrawsAWarning) {
  const auto run = Start();
  files_.full = true;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(run->checkpoints.TryCommit(3));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("warning: no checkpoint of step 3, training goes on: "));
  EXPECT_FALSE(run->checkpoints.Has(3));
  EXPECT_THROW(run->checkpoints.Commit(3), WriteError);
  files_.full = false;
  EXPECT_TRUE(run->checkpoints.TryCommit(3));
}

TEST_F(JobCheckpointsTest, ABestValueThatIsOnNoDiskIsForgotten) {
  const auto run = Start("checkpoint_best: 'accuracy'");
  files_.full = true;
  run->checkpoints.NoteBest(Metric("accuracy", 0.5), 2);
  files_.full = false;
  run->checkpoints.NoteBest(Metric("accuracy", 0.25), 4);
  EXPECT_EQ(BestStep(workspace_), 4);
}

TEST_F(JobCheckpointsTest, ANewWorkspaceHasNothingToResume) {
  EXPECT_THAT(SaidAtResume("", {}), HasSubstr("no checkpoint to resume from: training starts at "
                                              "step 0\n"));
}

TEST_F(JobCheckpointsTest, ACheckpointOfTheRunBeforeIsNamed) {
  Start()->checkpoints.Commit(3);
  std::filesystem::create_directories(workspace_ + "/previous");
  std::filesystem::rename(CheckpointFolder(workspace_), CheckpointFolder(workspace_ + "/previous"));
  EXPECT_THAT(SaidAtResume("", {}),
              HasSubstr("; those of the run before are in " + workspace_ + "/previous\n"));
}

TEST_F(JobCheckpointsTest, ARunGoesOnFromTheNewest) {
  {
    const auto run = Start();
    run->checkpoints.Commit(3);
    run->Fill(0.5f);
    run->checkpoints.Commit(7);
  }
  CheckpointRun run(SmallJob(workspace_, "train_steps: 50"), &files_);
  EXPECT_EQ(run.checkpoints.Resume(), 7);
  EXPECT_EQ(run.checkpoints.resumed_from(), CheckpointFolder(workspace_) + "/step7");
  EXPECT_TRUE(run.checkpoints.Has(7));
  EXPECT_EQ(run.groups.steps().done(), Steps{7});
  EXPECT_EQ(run.groups.lead().model().params().Find("w")->data.data()[0], 0.5f);
}

TEST_F(JobCheckpointsTest, ARunWithDamagedOnesAloneDoesNotResume) {
  Start()->checkpoints.Commit(3);
  std::filesystem::resize_file(CheckpointFolder(workspace_) + "/step3/model.safetensors", 5);
  CheckpointRun run(SmallJob(workspace_), &files_);
  testing::internal::CaptureStderr();
  EXPECT_ERROR(run.checkpoints.Resume(), kExitBadData,
               "no checkpoint is intact; without -resume training starts again");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("warning: "));
}

TEST_F(JobCheckpointsTest, AnUnchangedJobIsNotWarned) {
  Start()->checkpoints.Commit(3);
  EXPECT_EQ(SaidAtResume("", 3).find("warning"), std::string::npos);
}

TEST_F(JobCheckpointsTest, AChangedJobIsWarnedOfEachChange) {
  Start()->checkpoints.Commit(3);
  const std::string said =
      SaidAtResume("seed: 5 plain_kernels: true updater { learning_rate { base_lr: 0.01 } }", 3);
  EXPECT_THAT(said, HasSubstr("warning: the configuration differs from that of the checkpoint: "));
  EXPECT_THAT(said,
              HasSubstr("\"plain_kernels\" differs from the checkpoint (was \"0\", is "
                        "\"1\"): the results may differ from those of an uninterrupted run\n"));
  EXPECT_THAT(said, HasSubstr("\"seed\" differs from the checkpoint"));
  EXPECT_EQ(said.find("\"threads\""), std::string::npos) << said;
}

// The link may be lost with its folder's entry, while the state has the best value.
TEST_F(JobCheckpointsTest, ALostLinkToTheBestIsMadeAgain) {
  const std::string settings = "checkpoint_best: 'accuracy'";
  {
    const auto run = Start(settings);
    run->checkpoints.NoteBest(Metric("accuracy", 0.5), 2);
    run->checkpoints.Commit(3);
  }
  std::filesystem::remove(CheckpointFolder(workspace_) + "/best");
  CheckpointRun run(SmallJob(workspace_, "train_steps: 50 " + settings), &files_);
  EXPECT_EQ(run.checkpoints.Resume(), 3);
  EXPECT_EQ(BestStep(workspace_), 2);
  run.groups.Start(50);
  run.checkpoints.NoteBest(Metric("accuracy", 0.4), 4);
  EXPECT_EQ(BestStep(workspace_), 2);
}

TEST_F(JobCheckpointsTest, ANewPatienceDoesNotCountTheBestStepAgain) {
  const std::string settings = "checkpoint_best: 'accuracy'";
  Start(settings)->checkpoints.NoteBest(Metric("accuracy", 0.5), 2);
  CheckpointRun run(SmallJob(workspace_, "train_steps: 50 stop_patience: 1 " + settings), &files_);
  EXPECT_EQ(run.checkpoints.Resume(), 2);
  run.groups.Start(50);
  for (const int64_t step : {2, 4}) {
    run.checkpoints.NoteBest(Metric("accuracy", 0.5), step);
    EXPECT_EQ(run.checkpoints.best().exhausted(), step == 4);
  }
}

TEST_F(JobCheckpointsTest, AnotherMetricHasABestValueOfItsOwn) {
  Start("checkpoint_best: 'loss'")->checkpoints.NoteBest(Metric("loss", 0.9), 2);
  CheckpointRun run(SmallJob(workspace_, "train_steps: 50 checkpoint_best: 'accuracy'"), &files_);
  EXPECT_EQ(run.checkpoints.Resume(), 2);
  run.groups.Start(50);
  run.checkpoints.NoteBest(Metric("accuracy", 0.1), 4);
  EXPECT_EQ(BestStep(workspace_), 4);
}

TEST_F(JobCheckpointsTest, UnfinishedOnesOfAnEarlierRunAreRemoved) {
  Start()->checkpoints.Commit(3);
  const std::string unfinished = CheckpointFolder(workspace_) + "/step5.tmp.1a";
  std::filesystem::create_directories(unfinished);
  SaidAtResume("", 3);
  EXPECT_FALSE(std::filesystem::exists(unfinished));
}

}  // namespace
}  // namespace singa::job_checkpoints
