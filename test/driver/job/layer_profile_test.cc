// Tests in which steps a LayerProfile wraps the layers of a worker, and what it does to the file of
// an earlier run.
#include "driver/job/layer_profile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/temp_dir.h"
#include "nn/layer_wrapper.h"
#include "support/driver/small_job.h"

namespace singa::layer_profile {
namespace {

class LayerProfileTest : public testing::Test {
 protected:
  LayerProfileTest() { trainer_.Allocate(); }

  // A new run, unless it `resumes`.
  void Begin(bool resumes = false) {
    profile_.emplace(job_, resumes, &trainer_, &workspace_, &side_files_);
  }
  // Begins a step. Returns whether the layers are wrapped.
  bool Measures() {
    profile_->BeginStep();
    return wrapped();
  }
  bool wrapped() {
    return dynamic_cast<LayerWrapper*>(trainer_.model().net().nodes()[0].layer.get()) != nullptr;
  }

  const TempDir dir_;
  JobProto job_ = SmallJob(dir_.Path("ws"));
  Trainer trainer_{job_, 1};
  const Workspace workspace_{dir_.Path("ws")};
  Progress progress_;
  SideFiles side_files_{&progress_};
  std::optional<LayerProfile> profile_;
};

TEST_F(LayerProfileTest, WrapsLayersInItsStepsOnly) {
  Begin();
  for (int step = 1; step <= 12; ++step) {
    EXPECT_EQ(Measures(), step >= 6 && step <= 10) << "step " << step;
    profile_->EndStep();
  }
  const auto rows = nlohmann::json::parse(TempDir::Read(workspace_.layer_times()));
  EXPECT_EQ(rows.size(), trainer_.model().net().nodes().size());
}

TEST_F(LayerProfileTest, UnwrapsLayersWhereAJobEndsInItsSteps) {
  Begin();
  for (int step = 1; step < 7; ++step) {
    Measures();
    profile_->EndStep();
  }
  EXPECT_TRUE(Measures());
  profile_.reset();
  EXPECT_FALSE(wrapped());
  EXPECT_FALSE(std::filesystem::exists(workspace_.layer_times()));
}

TEST_F(LayerProfileTest, LeavesLayersToAUsersAlgorithm) {
  job_.mutable_train_one_batch()->set_user_alg("mine");
  Begin();
  for (int step = 1; step <= 10; ++step) {
    EXPECT_FALSE(Measures()) << "step " << step;
    profile_->EndStep();
  }
}

TEST_F(LayerProfileTest, ARunThatResumesKeepsTheFile) {
  dir_.Write("ws/visualization/layers_ms.json", "[]");
  Begin(/*resumes=*/true);
  EXPECT_TRUE(std::filesystem::exists(workspace_.layer_times()));
  Begin();
  EXPECT_FALSE(std::filesystem::exists(workspace_.layer_times()));
}

}  // namespace
}  // namespace singa::layer_profile
