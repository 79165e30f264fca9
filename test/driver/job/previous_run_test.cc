// Tests that an earlier run is set aside in its workspace, or put back.
#include "driver/job/previous_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/checkpoint/sample.h"
#include "support/disk_after.h"
#include "support/forwarding_files.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

constexpr char kRow[] = R"({"phase":"train","step":0,"group":0,"layer":"loss"})";
constexpr char kTestRow[] = R"({"phase":"test","step":0,"group":0,"layer":"loss"})";
const Error kBadRecord(kExitBadData, "a record is damaged");

// OneRenameFails fails the rename that finds the count at 1.
struct OneRenameFails final : ForwardingFiles {
  void Rename(const std::string& from, const std::string& to) override {
    if (--renames == 0) throw WriteError(kExitIo, to, "cannot be written", 0);
    ForwardingFiles::Rename(from, to);
  }
  int renames = 0;
};

class PreviousRunTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(path_ + "/" + name) << text << "\n";
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(path_ + "/" + name);
    std::string line;
    std::getline(file, line);
    return line;
  }
  // Writes a run with a checkpoint of `step`, and rows.
  void Run(int step) {
    PosixFileSystem disk;
    WriteCheckpoint(disk, path_, NumberedModel(step, 1).content());
    Write("metrics.jsonl", StrCat("row ", step));
  }
  void SetAside(PreviousRun* previous) {
    std::vector<std::string> files;
    previous->SetAside(&files);
  }
  std::vector<int64_t> Steps(const std::string& folder) const {
    std::vector<int64_t> steps;
    for (const auto& checkpoint : ListCheckpoints(folder)) steps.push_back(checkpoint.step);
    return steps;
  }
  std::vector<int64_t> Here() const { return Steps(path_); }
  std::vector<int64_t> Aside() const { return Steps(path_ + "/previous"); }

  const TempFolder folder_;
  const std::string path_ = folder_ / "ws";
  OneRenameFails files_;
  Workspace workspace_{path_, {.files = &files_}};
  Progress progress_;
};

TEST_F(PreviousRunTest, FilesGoWithTheCheckpointsThatAreSetAside) {
  fs::create_directories(path_ + "/checkpoint");
  Write("checkpoint/net.safetensors", "");
  PreviousRun previous(workspace_);
  const std::string net = path_ + "/checkpoint/net.safetensors", other = folder_ / "other";
  std::vector<std::string> files = {net, other};
  EXPECT_EQ(previous.SetAside(&files), "");
  EXPECT_EQ(files, (std::vector<std::string>{net, other}));
  EXPECT_TRUE(fs::exists(net));

  Run(5);
  EXPECT_NE(previous.SetAside(&files), "");
  const std::string moved = path_ + "/previous/checkpoint/net.safetensors";
  EXPECT_EQ(files, (std::vector<std::string>{moved, other}));
  EXPECT_TRUE(fs::exists(moved));
}

TEST_F(PreviousRunTest, TheChosenDivisionGoesWithItsRun) {
  Run(5);
  Write("partition.json", "of run 5");
  PreviousRun previous(workspace_);
  SetAside(&previous);
  EXPECT_FALSE(fs::exists(path_ + "/partition.json"));
  EXPECT_EQ(Read("previous/partition.json"), "of run 5");
  Write("partition.json", "of a run that trains nothing");
  previous.PutBackAfter(kBadRecord, &progress_);
  EXPECT_EQ(Read("partition.json"), "of run 5");
}

TEST_F(PreviousRunTest, EventFilesGoWithTheirRun) {
  const std::string old = "events.out.tfevents.0000000001.singa";
  const std::string other = "events.out.tfevents.0000000002.singa";
  Run(5);
  Write(old, "of run 5");
  Write("events.out.tfevents.1.host", "of another program");
  PreviousRun previous(workspace_);
  SetAside(&previous);
  EXPECT_FALSE(fs::exists(path_ + "/" + old));
  EXPECT_EQ(Read("previous/" + old), "of run 5");
  Write(other, "of a run that trains nothing");
  previous.PutBackAfter(kBadRecord, &progress_);
  EXPECT_EQ(Read(old), "of run 5");
  EXPECT_FALSE(fs::exists(path_ + "/" + other));
  EXPECT_EQ(Read("events.out.tfevents.1.host"), "of another program");
}

TEST_F(PreviousRunTest, AfterALostStartNamesLeadToWhatItSetAside) {
  Run(5);
  PreviousRun previous(workspace_);
  SetAside(&previous);
  JobProto job;
  const std::string folder = path_ + "/checkpoint";
  for (const std::string& path : {path_, folder, folder + "/step5", folder_ / "other"})
    job.add_checkpoint_path(path);
  for (const bool unfinished : {false, true}) {
    if (unfinished) fs::create_directories(folder + "/step3.tmp.1a");
    const JobProto after = previous.AfterLostStart(job);
    const auto& paths = after.checkpoint_path();
    const std::string aside = path_ + "/previous";
    EXPECT_EQ(paths[0], aside);
    EXPECT_TRUE(fs::equivalent(paths[1], aside + "/checkpoint")) << paths[1];
    EXPECT_EQ(paths[2], aside + "/checkpoint/step5");
    EXPECT_EQ(paths[3], folder_ / "other");
  }
}

TEST_F(PreviousRunTest, BothGenerationsAreBackAfterARunThatTrainedNothing) {
  Run(5);
  PreviousRun first(workspace_);
  SetAside(&first);
  Run(7);
  PreviousRun previous(workspace_);
  SetAside(&previous);
  EXPECT_EQ(Aside(), std::vector<int64_t>{7});
  Write("metrics.jsonl", kTestRow);  // from a test, which trains no values
  fs::create_directories(path_ + "/checkpoint/step0.tmp.1a");
  previous.PutBackAfter(kBadRecord, &progress_);
  EXPECT_EQ(Here(), std::vector<int64_t>{7});
  EXPECT_EQ(Read("metrics.jsonl"), "row 7");
  EXPECT_EQ(Aside(), std::vector<int64_t>{5});
  EXPECT_EQ(Read("previous/metrics.jsonl"), "row 5");
  EXPECT_FALSE(fs::exists(OldestRunFolder(path_)));
}

// The disk refuses one of the moves. Then no file has moved, and no older generation is lost.
TEST_F(PreviousRunTest, AMoveThatFailsMovesNothing) {
  Run(1);
  PreviousRun first(workspace_);
  SetAside(&first);
  Run(2);
  for (int fails = 1; fails <= 3; ++fails) {
    PreviousRun previous(workspace_);
    files_.renames = fails;
    EXPECT_THROW(SetAside(&previous), WriteError) << fails;
    EXPECT_EQ(Here(), std::vector<int64_t>{2}) << fails;
    EXPECT_EQ(Aside(), std::vector<int64_t>{1}) << fails;
    EXPECT_EQ(Read("metrics.jsonl"), "row 2") << fails;
    EXPECT_EQ(Read("previous/metrics.jsonl"), "row 1") << fails;
    previous.PutBackAfter(kBadRecord, &progress_);
    EXPECT_EQ(Here(), std::vector<int64_t>{2}) << fails;
  }
}

TEST_F(PreviousRunTest, NoEmptyFolderIsLeftWhereNothingWasInIt) {
  Run(5);
  PreviousRun previous(workspace_);
  SetAside(&previous);
  previous.PutBackAfter(kBadRecord, &progress_);
  EXPECT_EQ(Here(), std::vector<int64_t>{5});
  EXPECT_FALSE(fs::exists(path_ + "/previous"));
}

TEST_F(PreviousRunTest, MetricsOfARunWithoutACheckpointAreBackToo) {
  Write("metrics.jsonl", "row");
  PreviousRun previous(workspace_);
  SetAside(&previous);
  EXPECT_FALSE(fs::exists(workspace_.metrics()));
  previous.PutBackAfter(kBadRecord, &progress_);
  EXPECT_EQ(Read("metrics.jsonl"), "row");
}

TEST_F(PreviousRunTest, ARunThatHasTrainedLeavesItAside) {
  Run(5);
  PreviousRun previous(workspace_);
  SetAside(&previous);
  Write("metrics.jsonl", kRow);
  previous.PutBackAfter(kBadRecord, &progress_);
  EXPECT_EQ(Aside(), std::vector<int64_t>{5});
  Run(0);
  fs::remove(workspace_.metrics());
  previous.PutBackAfter(kBadRecord, &progress_);
  EXPECT_EQ(Aside(), std::vector<int64_t>{5});
}

TEST_F(PreviousRunTest, ARunThatMayBeTriedAgainLeavesItAside) {
  Run(5);
  PreviousRun previous(workspace_);
  SetAside(&previous);
  previous.PutBackAfter(PeerError("process 1 was lost"), &progress_);
  EXPECT_EQ(Aside(), std::vector<int64_t>{5});
}

TEST_F(PreviousRunTest, ARunThatMovedNothingPutsNothingBack) {
  Run(5);
  PreviousRun first(workspace_);
  SetAside(&first);
  PreviousRun(workspace_).PutBackAfter(kBadRecord, &progress_);
  EXPECT_EQ(Aside(), std::vector<int64_t>{5});
}

// Power is lost at each operation of a move and of the move back.
TEST(PreviousRunPowerLossTest, TheRunIsInOneOfTheTwoPlacesWithItsRows) {
  const TempFolder root;
  const std::string path = root / "ws", there = root / "there";
  fs::create_directories(path);
  RecordedFiles files(path);
  WorkspaceOptions options;
  options.files = &files;
  const Workspace workspace(path, options);
  WriteCheckpoint(files, path, NumberedModel(5, 1).content());
  {
    const auto rows = files.Create(path + "/metrics.jsonl");
    rows->Write("row\n", 4);
    rows->Sync();
  }
  files.SyncDirectory(path);
  const size_t before = files.log().size();
  PreviousRun previous(workspace);
  std::vector<std::string> none;
  previous.SetAside(&none);
  Progress progress;
  previous.PutBackAfter(kBadRecord, &progress);
  const DiskLog log(files.log());
  ASSERT_GT(log.log().size(), before + 4);
  for (size_t count = before; count <= log.log().size(); ++count)
    for (const Lost lost : {Lost::kAllUnsynced, Lost::kNothing, Lost::kSinceAMoment}) {
      SCOPED_TRACE(StrCat("after ", count - before, ", mode ", static_cast<int>(lost)));
      fs::remove_all(there);
      fs::create_directories(there);
      DiskAfter(log, count, lost, static_cast<uint32_t>(count)).Store(path, there);
      const bool here = !ListCheckpoints(there).empty();
      EXPECT_TRUE(here || !ListCheckpoints(there + "/previous").empty());
      EXPECT_TRUE(fs::exists(there + "/metrics.jsonl") ||
                  fs::exists(there + "/previous/metrics.jsonl"));
    }
}

}  // namespace
}  // namespace singa
