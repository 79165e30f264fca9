#include "io/checkpoint/retention.h"

#include <gtest/gtest.h>

#include "io/checkpoint/checkpoint_writer.h"
#include "io/checkpoint/sample.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

class RetentionTest : public testing::Test {
 protected:
  void WriteSteps(std::initializer_list<int64_t> steps) {
    for (int64_t step : steps) Write(workspace_, step);
  }
  void Damage(int64_t step) {
    fs::remove(workspace_ / StrCat("checkpoint/step", step, "/model.safetensors"));
  }
  // Keeps the file's size, so that only reading finds the damage.
  void DamageInside(int64_t step) {
    const std::string file = workspace_ / StrCat("checkpoint/step", step, "/model.safetensors");
    std::string bytes = ReadAll(file);
    bytes.back() ^= 1;
    WriteAll(file, bytes);
  }
  std::vector<std::string> Left(int64_t step, int64_t keep) {
    ApplyRetention(disk_, workspace_.path(), step, keep);
    return disk_.List(workspace_ / "checkpoint");
  }

  using Names = std::vector<std::string>;
  TempFolder workspace_;
  PosixFileSystem disk_;
};

TEST_F(RetentionTest, KeepsTheNewest) {
  WriteSteps({8, 9, 10, 11});
  EXPECT_EQ(Left(11, 2), (Names{"step10", "step11"}));
}

TEST_F(RetentionTest, ZeroKeepsAll) {
  WriteSteps({8, 9});
  EXPECT_EQ(Left(9, 0), (Names{"step8", "step9"}));
}

TEST_F(RetentionTest, KeepsTheBest) {
  WriteSteps({7, 8, 9});
  SetBest(disk_, workspace_.path(), 7);
  EXPECT_EQ(Left(9, 1), (Names{"best", "step7", "step9"}));
}

TEST_F(RetentionTest, BestMovesAndItsOldTargetGoes) {
  WriteSteps({7, 8, 9});
  SetBest(disk_, workspace_.path(), 7);
  SetBest(disk_, workspace_.path(), 8);
  EXPECT_EQ(fs::read_symlink(workspace_ / "checkpoint/best"), "step8");
  EXPECT_EQ(BestStep(workspace_.path()), 8);
  EXPECT_EQ(Left(9, 1), (Names{"best", "step8", "step9"}));
}

TEST_F(RetentionTest, NoLinkMeansNoBest) { EXPECT_FALSE(BestStep(workspace_.path())); }

TEST_F(RetentionTest, ADamagedOneDoesNotCount) {
  WriteSteps({7, 8, 9});
  Damage(8);
  EXPECT_EQ(Left(9, 2), (Names{"step7", "step8", "step9"}));
}

TEST_F(RetentionTest, RemovesNothingWhereTheNewestHasLostAFile) {
  WriteSteps({7, 8, 9});
  Damage(9);
  EXPECT_EQ(Left(9, 1), (Names{"step7", "step8", "step9"}));
}

TEST_F(RetentionTest, DoesNotReadTheCheckpointsThatStay) {
  WriteSteps({7, 8, 9});
  DamageInside(9);  // the size remains
  EXPECT_EQ(Left(9, 1), (Names{"step9"}));
}

TEST_F(RetentionTest, UnfinishedOnesAreRemovedAlone) {
  WriteSteps({7, 8});
  fs::create_directory(workspace_ / "checkpoint/step7.tmp.0123456789abcdef");
  fs::create_symlink("step7", workspace_ / "checkpoint/best.tmp.0123456789abcdef");
  fs::create_directory(workspace_ / "checkpoint/step6.old.0123456789abcdef");
  fs::create_directory(workspace_ / "checkpoint/mine.tmp.0123456789abcdef");
  RemoveUnfinished(disk_, workspace_.path());
  EXPECT_EQ(disk_.List(workspace_ / "checkpoint"),
            (Names{"mine.tmp.0123456789abcdef", "step6.old.0123456789abcdef", "step7", "step8"}));
}

TEST_F(RetentionTest, LeavesWhatIsNoCheckpoint) {
  WriteSteps({7, 8, 9});
  WriteAll(workspace_ / "checkpoint/step3", "a file");
  fs::create_symlink("nowhere", workspace_ / "checkpoint/step4");
  fs::create_directory(workspace_ / "checkpoint/step5");
  EXPECT_EQ(Left(9, 1), (Names{"step3", "step4", "step5", "step9"}));
}

TEST_F(RetentionTest, LaterStepsOfAnotherRunAreLeftAlone) {
  WriteSteps({1, 2, 3, 900});
  EXPECT_EQ(Left(3, 1), (Names{"step3", "step900"}));
}

}  // namespace
}  // namespace singa
