// Tests the link to the best checkpoint on a disk that refuses the link at first.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

#include "driver/job/run_job.h"
#include "driver/workspace/progress.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/retention.h"
#include "io/temp_dir.h"
#include "support/forwarding_files.h"

namespace singa {
namespace {

// LinkRefusingFiles fails to synchronize a folder with a new link, the first `failures` times.
class LinkRefusingFiles final : public ForwardingFiles {
 public:
  explicit LinkRefusingFiles(int failures) : failures_(failures) {}
  void Symlink(const std::string& target, const std::string& path) override {
    ForwardingFiles::Symlink(target, path);
    linked_ = true;
  }
  void SyncDirectory(const std::string& path) override {
    if (std::exchange(linked_, false) && failures_-- > 0)
      throw WriteError(kExitIo, path, "cannot be synchronized", EIO);
    ForwardingFiles::SyncDirectory(path);
  }
  int failures() const { return failures_; }

 private:
  int failures_;
  bool linked_ = false;
};

// LinklessFiles makes no link. The first job continues without one, and the second attempt ends the
// job.
class LinklessFiles final : public ForwardingFiles {
 public:
  void Symlink(const std::string&, const std::string& path) override {
    if (attempts_++ == 0) throw WriteError(kExitIo, path, "cannot be linked", EIO);
    throw std::runtime_error("the job is killed");
  }

 private:
  int attempts_ = 0;
};

class BestLinkTest : public testing::Test {
 protected:
  // Trains on one record, whose accuracy is the same at each test: the first one is the best.
  void Train(int steps, FileSystem* files, bool resume = false) {
    RunOptions options;
    options.threads = 1;
    options.files = files;
    options.resume = resume;
    Progress progress;
    testing::internal::CaptureStderr();
    EXPECT_EQ(TrainJob(Job(steps), options, &progress), kExitOk);
    said_ = testing::internal::GetCapturedStderr();
  }
  JobProto Job(int steps) const {
    JobProto job;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        StrCat(R"(name: "best" train_steps: )", steps, R"(
      test_freq: 2 test_steps: 1 checkpoint_freq: 2 checkpoint_keep: 1 checkpoint_best: "accuracy"
      num_openblas_threads: 1 train_one_batch { alg: kBP }
      updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
      neuralnet {
        layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 1
                shape: 4 std_value: 255 synthetic_conf { records: 1 classes: 2 } } }
        layer { name: "fc" type: kInnerProduct srclayers: "data"
                innerproduct_conf { num_output: 2 }
                param { name: "w" init { type: kUniform low: -0.2 high: 0.2 } }
                param { name: "b" init { type: kConstant } } }
        layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
      } cluster { workspace: ")",
               workspace(), R"(" })"),
        &job));
    return job;
  }
  std::string workspace() const { return root_.Path("ws"); }

  TempDir root_;
  std::string said_;
};

TEST_F(BestLinkTest, IsTriedAgainAtTheEnd) {
  LinkRefusingFiles files(1);
  Train(2, &files);
  EXPECT_EQ(files.failures(), -1) << "it was not tried again";
  EXPECT_EQ(BestStep(workspace()), 2);
  EXPECT_NE(said_.find("checkpoint/best is not step 2 yet"), std::string::npos) << said_;
  EXPECT_EQ(said_.find("no checkpoint of step"), std::string::npos) << said_;
}

TEST_F(BestLinkTest, IsTriedAgainBeforeRetentionGoesByIt) {
  LinkRefusingFiles files(1);
  Train(4, &files);
  EXPECT_EQ(BestStep(workspace()), 2);
  EXPECT_EQ(ListCheckpoints(workspace()).size(), 2u);
}

TEST_F(BestLinkTest, IsMadeUpForWhenItsJobEndedBeforeThat) {
  LinklessFiles linkless;
  EXPECT_THROW(Train(6, &linkless), std::runtime_error);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(BestStep(workspace()), std::nullopt);
  ASSERT_EQ(ListCheckpoints(workspace()).size(), 2u);
  PosixFileSystem files;
  Train(6, &files, true);
  EXPECT_EQ(BestStep(workspace()), 2);
  EXPECT_EQ(ListCheckpoints(workspace()).size(), 2u);
}

TEST_F(BestLinkTest, NamesNoCheckpointThatIsGone) {
  PosixFileSystem files;
  Train(4, &files);
  files.RemoveTree(CheckpointFolder(workspace()) + "/step2");
  files.RemoveTree(CheckpointFolder(workspace()) + "/best");
  Train(6, &files, true);
  EXPECT_EQ(BestStep(workspace()), std::nullopt);
}

}  // namespace
}  // namespace singa
