// Tests what a whole training of one process leaves in its workspace, and how it ends.
#include "driver/job/train_job.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "driver/job/layer_profile.h"
#include "driver/signals/interrupt.h"
#include "io/checkpoint/checkpoint.h"
#include "io/temp_dir.h"
#include "support/driver/small_job.h"

namespace singa::train_job {
namespace {

using testing::HasSubstr;
using testing::Not;
using Steps = std::set<int64_t>;

class TrainJobTest : public testing::Test {
 protected:
  // Trains, and returns what it says.
  std::string Train(const std::string& settings, const RunOptions& options = OneThread()) {
    Progress progress;
    testing::internal::CaptureStderr();
    const JobProto job = SmallJob(workspace_, settings);
    std::exception_ptr error;
    try {
      EXPECT_EQ(TrainUnwatched(job, options, &progress), kExitOk);
    } catch (...) {
      error = std::current_exception();
    }
    const std::string said = testing::internal::GetCapturedStderr();
    if (error) std::rethrow_exception(error);
    return said;
  }
  Steps Checkpoints() const {
    Steps steps;
    for (const auto& checkpoint : ListCheckpoints(workspace_)) steps.insert(checkpoint.step);
    return steps;
  }
  // Returns "train 3", phase and step of each row.
  std::vector<std::string> Rows() const {
    std::vector<std::string> rows;
    std::istringstream lines(TempDir::Read(workspace_ + "/metrics.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const auto row = nlohmann::json::parse(line);
      rows.push_back(StrCat(row["phase"].get<std::string>(), " ", row["step"].get<int64_t>()));
    }
    return rows;
  }

  const TempDir dir_;
  const std::string workspace_ = dir_.Path("ws");
};

TEST_F(TrainJobTest, DoesWhatIsDueBeforeEachStepAndAtItsEnd) {
  Train("train_steps: 4 disp_freq: 2 test_freq: 2 test_steps: 1 checkpoint_freq: 3");
  EXPECT_EQ(Rows(), (std::vector<std::string>{"test 0", "train 0", "test 2", "train 2", "test 4"}));
  EXPECT_EQ(Checkpoints(), (Steps{3, 4}));
}

TEST_F(TrainJobTest, CommitsAtItsEndWhateverTheSchedule) {
  int commits = 0;
  RunOptions options = OneThread();
  options.committed = [&] { ++commits; };
  const std::string said = Train("train_steps: 2", options);
  EXPECT_EQ(Checkpoints(), Steps{2});
  EXPECT_EQ(commits, 1);
  EXPECT_THAT(said, HasSubstr("done: 2 steps in "));
}

TEST_F(TrainJobTest, OfNoStepKeepsTheFirstValues) {
  EXPECT_THAT(Train("train_steps: 0"), HasSubstr("done: 0 steps in "));
  EXPECT_EQ(Checkpoints(), Steps{0});
}

TEST_F(TrainJobTest, DrawsItsNets) {
  Train("train_steps: 1");
  EXPECT_TRUE(std::filesystem::exists(workspace_ + "/visualization/train_net.dot"));
  EXPECT_FALSE(std::filesystem::exists(workspace_ + "/visualization/test_net.dot"));
  Train("train_steps: 1 test_freq: 1");
  EXPECT_TRUE(std::filesystem::exists(workspace_ + "/visualization/test_net.json"));
}

TEST_F(TrainJobTest, MeasuresItsLayersOnceInEarlySteps) {
  const std::string file = workspace_ + "/visualization/layers_ms.json";
  const int64_t enough = LayerProfile::kWarmUp + LayerProfile::kSteps;
  Train(StrCat("train_steps: ", enough));
  std::vector<std::string> layers;
  for (const auto& row : nlohmann::json::parse(TempDir::Read(file))) layers.push_back(row["layer"]);
  EXPECT_EQ(layers, (std::vector<std::string>{"data", "split(data)", "fc", "loss"}));
  Train(StrCat("train_steps: ", enough - 1));
  EXPECT_FALSE(std::filesystem::exists(file)) << "times of the run before";
}

TEST_F(TrainJobTest, WritesTheJobAsItRuns) {
  Train("train_steps: 2");
  const std::string text = TempDir::Read(workspace_ + "/visualization/job.conf");
  JobProto job;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job)) << text;
  EXPECT_EQ(job.train_steps(), 2);
  EXPECT_EQ(job.cluster().workspace(), workspace_);
  EXPECT_GT(job.neuralnet().layer_size(), 0);
}

TEST_F(TrainJobTest, DescribesStepsThatItDisplaysToDebug) {
  Train("train_steps: 3 disp_freq: 2 debug: true");
  for (const int step : {0, 1, 2})
    EXPECT_EQ(
        std::filesystem::exists(StrCat(workspace_, "/visualization/fp-step", step, "-loc0.json")),
        step != 1)
        << step;
}

TEST_F(TrainJobTest, ResumesWithTheSameNumbers) {
  Train("train_steps: 6");
  const auto model = [&] {
    return TempDir::Read(workspace_ + "/checkpoint/step6/model.safetensors");
  };
  const std::string whole = model();
  Train("train_steps: 3");
  EXPECT_EQ(Checkpoints(), Steps{3});
  const std::string said = Train("train_steps: 6", OneThread(true));
  EXPECT_THAT(said, HasSubstr("at step 3\n"));
  EXPECT_THAT(said, HasSubstr("done: 3 steps in "));
  EXPECT_THAT(said, HasSubstr(" since step 3, 6 in all"));
  EXPECT_EQ(model(), whole);
}

TEST_F(TrainJobTest, ThatIsDoneAlreadyTrainsNothingMore) {
  Train("train_steps: 3");
  EXPECT_THAT(Train("train_steps: 3", OneThread(true)), HasSubstr("done: 0 steps in "));
  EXPECT_EQ(Checkpoints(), Steps{3});
}

TEST_F(TrainJobTest, ThatFailsBeforeAStepPutsTheRunBeforeBack) {
  Train("train_steps: 3");
  EXPECT_ERROR(Train("train_steps: 5 checkpoint_path: '/none'"), kExitNoInput, "/none");
  EXPECT_EQ(Checkpoints(), Steps{3});
}

TEST_F(TrainJobTest, TellsOfTheErrorBeforeItIsDestroyed) {
  int told = 0;
  RunOptions options = OneThread();
  options.failed = [&](const std::exception_ptr&) { ++told; };
  EXPECT_ERROR(Train("train_steps: 9 updater { learning_rate { base_lr: 3e38 } }", options),
               kExitDiverged, "");
  EXPECT_GE(told, 1);
}

TEST_F(TrainJobTest, OfSeveralGroupsWaitsForAll) {
  Train("train_steps: 3 disp_freq: 1 cluster { nworker_groups: 2 nworkers_per_procs: 2 }");
  EXPECT_EQ(Checkpoints(), Steps{3});
  std::vector<std::string> rows = Rows();
  std::ranges::sort(rows);
  EXPECT_EQ(rows, (std::vector<std::string>{"train 0", "train 0", "train 1", "train 1", "train 2",
                                            "train 2"}));
}

TEST_F(TrainJobTest, SaysWhichStateOfACompressionItDoesNotContinue) {
  const std::string served = "cluster { share_memory: false all_reduce { backend: kServers ";
  const std::string lost = "state of gradient compression in ";
  Train("train_steps: 2 " + served + "compression: kTopK sparsity: 0.1 } }");
  const auto resumed = [&](const std::string& settings) {
    return Train("train_steps: 3 checkpoint_freq: 0 " + settings, OneThread(true));
  };
  EXPECT_THAT(resumed(served + "compression: kThreshold } }"), Not(HasSubstr(lost)));
  std::filesystem::remove_all(workspace_);
  Train("train_steps: 2 " + served + "compression: kTopK sparsity: 0.1 } }");
  EXPECT_THAT(resumed(""), HasSubstr(lost + workspace_ +
                                     "/checkpoint/step2 is not used (residuals of kTopK or "
                                     "kThreshold): one worker now trains alone\n"));
  EXPECT_THAT(resumed(served + "} }"), Not(HasSubstr(lost))) << "step 3 has no such state";
}

}  // namespace
}  // namespace singa::train_job
