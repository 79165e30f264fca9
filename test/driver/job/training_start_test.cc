// Tests with which values and at which step a training begins. previous_run_test tests how an
// earlier run is set aside; job_checkpoints_test tests what a checkpoint holds.
#include "driver/job/training_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "io/checkpoint/checkpoint.h"
#include "io/temp_dir.h"
#include "support/driver/small_job.h"
#include "support/threaded_job.h"

namespace singa::training_start {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// BeginningRun is the part of a training before its first step.
struct BeginningRun {
  explicit BeginningRun(const JobProto& its_job, JobProcess* process = nullptr)
      : job(its_job), groups(job, 1, process) {}
  std::vector<float> Values(const std::string& param) {
    const Tensor& data = groups.lead().model().params().Find(param)->data;
    return {data.data(), data.data() + data.size()};
  }

  const JobProto job;
  Workspace workspace{job.cluster().workspace()};
  WorkerGroups groups;
  JobSnapshot snapshot{&groups};
  Progress progress;
  JobCheckpoints checkpoints{job, workspace, &groups, &snapshot, &progress, [] {}};
  TrainingStart start{job, workspace, &groups, &checkpoints, &progress};
};

class TrainingStartTest : public testing::Test {
 protected:
  JobProto Job(const std::string& settings = "train_steps: 50") const {
    return SmallJob(workspace_, settings);
  }
  // Leaves a checkpoint of `step`, in which all params are `value`.
  void Leave(int64_t step, float value) const {
    BeginningRun run(Job());
    run.start.LoadValues(OneThread());
    for (const auto& param : run.groups.lead().model().params().params())
      std::fill_n(param->data.data(), param->size(), value);
    run.groups.Start(run.start.schedule().steps());
    run.checkpoints.Commit(step);
  }
  // Loads the values, and keeps what is said.
  void Load(BeginningRun* run, bool resume) {
    testing::internal::CaptureStderr();
    std::exception_ptr error;
    try {
      run->start.LoadValues(OneThread(resume));
    } catch (...) {
      error = std::current_exception();
    }
    said_ = testing::internal::GetCapturedStderr();
    if (error) std::rethrow_exception(error);
  }
  // Returns the error of a job that resumes.
  ConfigError ErrorAtResume(const std::string& settings) {
    BeginningRun run(Job(settings));
    try {
      Load(&run, true);
    } catch (const ConfigError& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {"", ""};
  }

  const TempDir dir_;
  const std::string workspace_ = dir_.Path("ws");
  std::string said_;
};

TEST_F(TrainingStartTest, BeginsWithNewValuesInAnEmptyWorkspace) {
  for (const bool resume : {false, true}) {
    BeginningRun run(Job());
    Load(&run, resume);
    EXPECT_EQ(run.start.step(), 0);
    EXPECT_EQ(run.start.schedule().steps(), 50);
    EXPECT_EQ(run.Values("b"), (std::vector<float>{1, 1}));
    for (const float w : run.Values("w")) EXPECT_TRUE(w != 0 && w >= -0.2f && w < 0.2f) << w;
  }
}

TEST_F(TrainingStartTest, ResumesTheNewestCheckpoint) {
  Leave(7, 0.5f);
  BeginningRun run(Job());
  Load(&run, true);
  EXPECT_EQ(run.start.step(), 7);
  EXPECT_EQ(run.Values("b"), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(ListCheckpoints(workspace_).size(), 1u);
}

TEST_F(TrainingStartTest, WithoutResumeSetsTheEarlierRunAside) {
  Leave(7, 0.5f);
  BeginningRun run(Job());
  Load(&run, false);
  EXPECT_EQ(run.start.step(), 0);
  EXPECT_EQ(run.Values("b"), (std::vector<float>{1, 1}));
  EXPECT_TRUE(ListCheckpoints(workspace_).empty());
  EXPECT_EQ(ListCheckpoints(workspace_ + "/previous").size(), 1u);
  EXPECT_THAT(said_, HasSubstr("previous"));
}

TEST_F(TrainingStartTest, ARunThatEndsBeforeItsFirstStepPutsTheEarlierOneBack) {
  Leave(7, 0.5f);
  BeginningRun run(Job());
  Load(&run, false);
  run.start.PutPreviousRunBack(Error(kExitBadData, "a record is damaged"));
  EXPECT_EQ(ListCheckpoints(workspace_).size(), 1u);
}

TEST_F(TrainingStartTest, ARunThatCannotOpenItsStoreLeavesTheEarlierRunWhereItIs) {
  Leave(7, 0.5f);
  JobProto job = Job();
  StoreProto& store = *job.mutable_neuralnet()->mutable_layer(0)->mutable_store_conf();
  store.set_backend("kvfile");
  store.set_path(dir_.Path("none"));
  BeginningRun run(job);
  EXPECT_ERROR(Load(&run, false), kExitNoInput, "none");
  EXPECT_EQ(ListCheckpoints(workspace_).size(), 1u);
}

TEST_F(TrainingStartTest, TheLastStepMayBeResumedAndNoneBeyond) {
  Leave(7, 0.5f);
  {
    BeginningRun run(Job("train_steps: 7"));
    Load(&run, true);
    EXPECT_EQ(run.start.step(), 7);
  }
  const ConfigError error = ErrorAtResume("train_steps: 6");
  EXPECT_EQ(error.path(), "train_steps");
  EXPECT_EQ(error.message(), "the checkpoint to resume from is of step 7, beyond the last, 6");
}

// 12 records by 4 are 3 steps.
TEST_F(TrainingStartTest, StepsBeyondTheLastEpochAreToldInPasses) {
  Leave(7, 0.5f);
  const ConfigError one = ErrorAtResume("train_epochs: 1");
  EXPECT_EQ(one.path(), "train_epochs");
  EXPECT_THAT(one.message(), HasSubstr("of step 7, beyond the last, 3 (1 pass)"));
  const ConfigError two =
      ErrorAtResume("train_epochs: 2 cluster { nworker_groups: 2 nworkers_per_procs: 2 }");
  EXPECT_THAT(two.message(), HasSubstr("(2 passes, shared by 2 worker groups)"));
}

TEST_F(TrainingStartTest, TellsTheOthersHowFarEachGroupIsAndWhichFilesItRead) {
  Leave(7, 0.5f);
  const std::string model = workspace_ + "/checkpoint/step7/model.safetensors";
  const std::string copy = dir_.Path("model.safetensors");
  fs::copy_file(model, copy);
  ThreadedJob processes(
      Job(StrCat("train_steps: 50 cluster { nworker_groups: 2 } checkpoint_path: '", copy, "'")));
  processes.MeetAll();
  BeginningRun run(processes[0].part().job(), &processes[0]);
  RunOptions options = OneThread();
  options.process = &processes[0];
  int meetings = 0;
  options.meet = [&] { ++meetings; };
  run.start.LoadValues(options);
  run.start.MeetOthers(options);
  EXPECT_EQ(meetings, 1);
  run.start.Tell();
  const ControlMessage told = processes[1].follower()->First();
  ASSERT_TRUE(told.has_begin());
  EXPECT_EQ(told.begin().group_steps_size(), 2);
  ASSERT_EQ(told.begin().first_values().files_size(), 1);
  EXPECT_EQ(told.begin().first_values().files(0), copy);
}

}  // namespace
}  // namespace singa::training_start
