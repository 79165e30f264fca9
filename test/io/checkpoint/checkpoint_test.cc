#include "io/checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "base/file/sha256.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/sample.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

TEST(Checkpoint, HoldsWhatWasWritten) {
  const TempFolder workspace;
  const std::string dir = Write(workspace, 20, 3);
  EXPECT_EQ(dir, workspace / "checkpoint/step20");
  const auto checkpoint = LoadCheckpoint(dir);
  const NumberedModel sample(20, 3);
  EXPECT_EQ(checkpoint->step(), 20);
  EXPECT_EQ(checkpoint->manifest().run, sample.content().run);
  EXPECT_EQ(checkpoint->manifest().conf_sha256, sample.content().conf_sha256);
  const auto w = checkpoint->params().Values<float>("w1", {20, 10});
  EXPECT_EQ(std::vector<float>(w.begin(), w.end()), sample.w);
  EXPECT_EQ(checkpoint->state().Values<uint64_t>("rng/key", Shape())[0], sample.key);
}

TEST(Checkpoint, StaysReadableWhenItsFolderIsRemoved) {
  const TempFolder workspace;
  const auto checkpoint = LoadCheckpoint(Write(workspace, 20, 3));
  fs::remove_all(workspace / "checkpoint");
  EXPECT_EQ(VersionOf(*checkpoint), 3);
}

TEST(Checkpoint, ListsNewestFirst) {
  const TempFolder workspace;
  for (int step : {9, 100, 20}) Write(workspace, step);
  fs::create_directory(workspace / "checkpoint/step7.tmp.00");
  fs::create_directory(workspace / "checkpoint/step08");
  fs::create_directory(workspace / "checkpoint/step");
  std::vector<int64_t> steps;
  for (const CheckpointEntry& entry : ListCheckpoints(workspace.path()))
    steps.push_back(entry.step);
  EXPECT_EQ(steps, (std::vector<int64_t>{100, 20, 9}));
}

// The job replaces checkpoints as checkpoint_keep: 1 does: first the next one appears, then the
// last one is removed.
TEST(Checkpoint, AreNeverMissedWhileAJobReplacesThem) {
  const TempFolder workspace;
  const std::string folder = workspace / "checkpoint/";
  const auto come = [&](int step) {
    const std::string made = StrCat(folder, "new", step);
    fs::create_directories(made);
    WriteAll(made + "/manifest.json", "{}");
    fs::rename(made, StrCat(folder, "step", step));
  };
  come(1);
  std::atomic<bool> done = false;
  std::thread job([&] {
    for (int step = 1; !done; ++step) {
      come(step + 1);
      const std::string gone = StrCat(folder, "step", step, ".tmp.00");
      fs::rename(StrCat(folder, "step", step), gone);
      fs::remove_all(gone);
    }
  });
  int missed = 0;
  for (int look = 0; look < 5000; ++look) missed += ListCheckpoints(workspace.path()).empty();
  done = true;
  job.join();
  EXPECT_EQ(missed, 0);
}

TEST(Checkpoint, NoneIsFoundInAnEmptyWorkspace) {
  const TempFolder workspace;
  EXPECT_EQ(NewestValid(workspace.path(), Ignore), nullptr);
  EXPECT_EQ(NewestValid(workspace / "missing", Ignore), nullptr);
}

TEST(Checkpoint, NewestValidPassesOverDamageAndSaysWhy) {
  const TempFolder workspace;
  Write(workspace, 10, 1);
  Write(workspace, 20, 2);
  fs::remove(workspace / "checkpoint/step20/state.safetensors");
  std::string said;
  const auto found = NewestValid(workspace.path(), [&](const std::string& why) { said += why; });
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->step(), 10);
  EXPECT_NE(said.find("step 20"), std::string::npos) << said;
  EXPECT_NE(said.find("state.safetensors"), std::string::npos) << said;
}

TEST(Checkpoint, AReplacedOneCountsWhileItsSuccessorIsMissing) {
  const TempFolder workspace;
  const std::string dir = Write(workspace, 20, 1);
  fs::rename(dir, dir + ".old.0123");
  EXPECT_EQ(VersionOf(*NewestValid(workspace.path(), Ignore)), 1);
  Write(workspace, 30, 2);
  EXPECT_TRUE(fs::is_directory(dir));
  EXPECT_FALSE(fs::exists(dir + ".old.0123"));
}

void SetFormat(const std::string& file, const std::string& format) {
  std::string text = ReadAll(file);
  const size_t at = text.find("\"format\": 1");
  text.replace(at, std::strlen("\"format\": 1"), "\"format\": " + format);
  text.resize(text.size() - 68);  // the digits and all behind them
  WriteAll(file, text + Sha256Hex(text) + "\"\n}\n");
}

TEST(Checkpoint, ANewerFormatIsRefusedNamingBoth) {
  const TempFolder workspace;
  Write(workspace, 10);
  SetFormat(Write(workspace, 20) + "/manifest.json", "7");
  try {
    NewestValid(workspace.path(), Ignore);
    FAIL();
  } catch (const NewerFormatError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("has format 7; this singa reads formats up to 1"), std::string::npos)
        << what;
  }
}

TEST(Checkpoint, FormatZeroIsDamage) {
  const TempFolder workspace;
  const std::string dir = Write(workspace, 20);
  SetFormat(dir + "/manifest.json", "0");
  EXPECT_EQ(VerifyCheckpoint(dir).size(), 1u);
}

TEST(Checkpoint, AFolderOfAnotherStepsNameIsDamage) {
  const TempFolder workspace;
  const std::string dir = Write(workspace, 20);
  fs::rename(dir, workspace / "checkpoint/step30");
  EXPECT_EQ(VerifyCheckpoint(workspace / "checkpoint/step30").size(), 1u);
}

TEST(Checkpoint, FilesSwappedBetweenStepsAreDamage) {
  const TempFolder workspace;
  const std::string a = Write(workspace, 20, 1), b = Write(workspace, 30, 2);
  fs::copy_file(b + "/state.safetensors", a + "/state.safetensors",
                fs::copy_options::overwrite_existing);
  EXPECT_FALSE(VerifyCheckpoint(a).empty());
}

TEST(Checkpoint, AMissingFolderIsNoInput) {
  const TempFolder workspace;
  try {
    LoadCheckpoint(workspace / "checkpoint/step1");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.code(), kExitNoInput);
  }
}

TEST(CheckpointNames, AreExact) {
  EXPECT_EQ(StepOf("step0"), 0);
  EXPECT_EQ(StepOf("step9223372036854775807"), INT64_MAX);
  for (const char* name : {"step", "step-1", "step01", "step+1", "step1 ",
                           "step9223372036854775808", "Step1", "best", ""})
    EXPECT_FALSE(StepOf(name)) << name;
  EXPECT_EQ(ReplacedStepOf("step12.old.ab"), 12);
  EXPECT_FALSE(ReplacedStepOf("step12"));
  EXPECT_TRUE(IsUnfinished("step12.tmp.ab"));
  EXPECT_TRUE(IsUnfinished("best.tmp.ab"));
  EXPECT_FALSE(IsUnfinished("step12"));
  EXPECT_FALSE(IsUnfinished("x.tmp.ab"));
}

}  // namespace
}  // namespace singa
