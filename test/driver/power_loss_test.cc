// Loses power at every operation of whole small jobs. No committed checkpoint may be lost, and no
// damage may be found. Rows of metrics are those before the resumed step. A resumed job ends as an
// undisturbed one does.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "driver/job/run_job.h"
#include "driver/workspace/progress.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/retention.h"
#include "io/checkpoint/sample.h"
#include "io/metrics/metrics_file.h"
#include "support/disk_after.h"
#include "support/driver/small_job.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

// A sanitizer looks for wrong uses of memory, which a part of the states shows. There, each
// operation has one of the ways to lose data, in turn, and not all of them.
#ifdef SINGA_SANITIZED
constexpr bool kEachWay = false;
constexpr size_t kEachPrefix = 5;
#else
constexpr bool kEachWay = true;
constexpr size_t kEachPrefix = 1;
#endif

JobProto Job(const std::string& workspace, int seed, int steps) {
  return SmallJob(workspace, StrCat("name: 'power' train_steps: ", steps, " seed: ", seed, R"(
    disp_freq: 1 test_freq: 3 test_steps: 1 checkpoint_freq: 2 checkpoint_keep: 2
    checkpoint_best: "accuracy" updater { momentum: 0.9 })"));
}

void Train(const JobProto& job, bool resume, FileSystem* files) {
  RunOptions options = OneThread(resume);
  options.files = files;
  Progress progress;
  ASSERT_EQ(TrainJob(job, options, &progress), kExitOk);
}

// Returns the rows of steps before `step`.
std::vector<std::string> RowsBefore(const std::string& path, int64_t step) {
  std::ifstream in(path);
  std::vector<std::string> rows;
  for (std::string row; std::getline(in, row);) {
    const size_t at = row.find("\"step\":");
    if (at == std::string::npos || std::stoll(row.substr(at + 7)) < step) rows.push_back(row);
  }
  return rows;
}

// Training is a run without -resume, and the run that resumes it. Both have one seed.
struct Training {
  int seed, steps;
  std::string rows;   // a copy of its metrics.jsonl
  std::string model;  // its last params
};

struct Commit {
  int64_t step = -1;
  size_t begun = 0, claimed = 0;  // operations; at claimed the job had gone on
};

class PowerLossTest : public testing::Test {
 protected:
  // Records two runs, each resumed once. The second sets the first aside.
  void Record() {
    fs::create_directories(workspace());
    files_ = std::make_unique<RecordedFiles>(workspace());
    for (int r = 0; r < 2; ++r) {
      const int seed = r + 1, steps = r == 0 ? 9 : 7;
      Train(Job(workspace(), seed, 5), false, files_.get());
      Train(Job(workspace(), seed, steps), true, files_.get());
      const std::string copy = root_ / StrCat("rows", r);
      fs::copy_file(workspace() + "/metrics.jsonl", copy);
      runs_.push_back({seed, steps, copy, ModelOf(workspace(), steps)});
    }
    FindCommits(files_->log());
  }
  static std::string ModelOf(const std::string& workspace, int64_t step) {
    return ReadAll(StrCat(workspace, "/checkpoint/step", step, "/", kModelFile));
  }

  void FindCommits(const std::vector<DiskOperation>& log) {
    for (auto& commits : commits_) commits.clear();
    size_t run = 0;
    for (size_t i = 0; i < log.size(); ++i) {
      if (log[i].kind != DiskOperation::kRename) continue;
      if (log[i].path == CheckpointFolder(workspace())) run = 1;
      const fs::path target = log[i].target;
      const auto step = StepOf(target.filename().string());
      if (!step || target.parent_path() != CheckpointFolder(workspace())) continue;
      size_t next = i + 1;
      while (next < log.size() && log[next].kind == DiskOperation::kSyncFolder) ++next;
      commits_[run].push_back({*step, i, next});
    }
  }

  // Returns the newest step of `run` in a workspace or in its set-aside run; -1: none.
  static int64_t Newest(const std::string& workspace, const Training& run) {
    std::string said;
    const auto newest = NewestValid(workspace, [&](const std::string& text) { said += text; });
    EXPECT_EQ(said, "");
    if (!newest || newest->manifest().run.at("seed") != RunValue(run.seed)) return -1;
    return newest->step();
  }

  // Returns whether a power loss after some prefix of the operations loses a committed step, if all
  // unsynced bytes are lost. The files found then may be damaged.
  bool SomePrefixLoses(const std::vector<DiskOperation>& operations) {
    FindCommits(operations);
    EXPECT_FALSE(commits_[0].empty() || commits_[1].empty());
    const DiskLog log(operations);
    for (size_t count = 0; count <= operations.size(); count += kEachPrefix) {
      const std::string there = root_ / "there";
      fs::remove_all(there);
      fs::create_directories(there);
      DiskAfter(log, count, Lost::kAllUnsynced, 0).Store(workspace(), there);
      const std::string aside = there + "/previous";
      if (LosesCommit(there, aside, 0, count) || LosesCommit(there, aside, 1, count)) return true;
    }
    return false;
  }
  bool LosesCommit(const std::string& there, const std::string& aside, int run, size_t count) {
    bool lost = false;
    for (const Commit& commit : commits_[run]) {
      if (commit.claimed > count) continue;
      lost = true;
      for (const std::string& workspace : {there, aside}) {
        const auto newest = NewestValid(workspace, [](const std::string&) {});
        if (newest && newest->manifest().run.at("seed") == RunValue(runs_[run].seed) &&
            newest->step() >= commit.step)
          lost = false;
      }
    }
    return lost;
  }

  // Returns the run that a resume goes on with; -1: none.
  int Check(const std::string& there, size_t count) {
    int resumes = -1;
    for (size_t r = 0; r < runs_.size(); ++r) {
      int64_t committed = -1, begun = -1;
      for (const Commit& commit : commits_[r]) {
        if (commit.claimed <= count) committed = commit.step;
        if (commit.begun < count) begun = commit.step;
      }
      const int64_t here = Newest(there, runs_[r]), aside = Newest(there + "/previous", runs_[r]);
      const int64_t found = std::max(here, aside);
      EXPECT_GE(found, committed) << "a committed step is lost";
      EXPECT_LE(found, begun);
      if (found < committed) ++lost_;
      if (here >= 0) resumes = static_cast<int>(r);
      if (found >= 0) CheckRows(there, runs_[r], found);
    }
    for (const std::string& workspace : {there, there + "/previous"})
      if (BestStep(workspace)) {
        EXPECT_TRUE(VerifyCheckpoint(CheckpointFolder(workspace) + "/best").empty());
      }
    return resumes;
  }

  static void CheckRows(const std::string& there, const Training& run, int64_t step) {
    const std::vector<std::string> expected = RowsBefore(run.rows, step);
    bool found = false;
    for (const char* name : {"/metrics.jsonl", "/previous/metrics.jsonl"}) {
      const std::string path = there + name;
      if (!fs::exists(path)) continue;
      PosixFileSystem disk;
      const std::string folder = there + "/cut", cut = folder + "/metrics.jsonl";
      fs::create_directory(folder);
      fs::copy_file(path, cut, fs::copy_options::overwrite_existing);
      MetricsFile({&disk, folder, std::vector<int64_t>{step}});
      found = found || RowsBefore(cut, INT64_MAX) == expected;
      fs::remove_all(folder);
    }
    EXPECT_TRUE(found) << "rows before step " << step << " are lost, or there are others";
  }

  void Resume(const std::string& there, int which) {
    const Training& run = runs_[static_cast<size_t>(std::max(which, 0))];
    Train(Job(there, run.seed, run.steps), true, nullptr);
    EXPECT_TRUE(ModelOf(there, run.steps) == run.model) << "another result than undisturbed";
  }

  std::string workspace() const { return root_ / "ws"; }

  TempFolder root_;
  std::unique_ptr<RecordedFiles> files_;
  std::vector<Training> runs_;
  std::vector<Commit> commits_[2];
  int lost_ = 0;
};

TEST_F(PowerLossTest, AtEveryOperationOfWholeJobsNothingCommittedIsLost) {
  constexpr int kResumeEach = 9;  // every ninth state is resumed by a whole job
  testing::internal::CaptureStderr();
  Record();
  const DiskLog log(files_->log());
  const std::vector<std::pair<Lost, uint32_t>> modes = {
      {Lost::kAllUnsynced, 0},  {Lost::kUnsyncedData, 0}, {Lost::kNothing, 0},
      {Lost::kSinceAMoment, 1}, {Lost::kSinceAMoment, 2}, {Lost::kAny, 1},
      {Lost::kAny, 2}};
  int states = 0, resumed = 0;
  for (size_t count = 0; count <= log.log().size() && !HasFailure(); ++count) {
    for (size_t mode = 0; mode < modes.size(); ++mode) {
      if (!kEachWay && mode != count % modes.size()) continue;
      const auto& [lost, seed] = modes[mode];
      SCOPED_TRACE(StrCat("after ", count, " of ", log.log().size(), " operations, mode ",
                          static_cast<int>(lost), ", seed ", seed));
      const std::string there = root_ / "there";
      fs::remove_all(there);
      fs::create_directories(there);
      DiskAfter(log, count, lost, seed * 7919 + static_cast<uint32_t>(count))
          .Store(workspace(), there);
      const int run = Check(there, count);
      if (states++ % kResumeEach == 0 && !HasFailure()) {
        Resume(there, run);
        ++resumed;
      }
      if (HasFailure()) break;
    }
  }
  testing::internal::GetCapturedStderr();
  std::cout << log.log().size() << " operations, " << commits_[0].size() + commits_[1].size()
            << " commits: " << states << " states of the disk after power loss, " << resumed
            << " resumed by a job to the same result, " << lost_ << " lost commits\n";
  EXPECT_GE(states, 500);
}

std::vector<DiskOperation> Without(DiskOperation::Kind kind, std::vector<DiskOperation> log) {
  std::erase_if(log, [kind](const DiskOperation& operation) { return operation.kind == kind; });
  return log;
}

TEST_F(PowerLossTest, AJobThatForgetsToSyncLosesCommits) {
  testing::internal::CaptureStderr();
  Record();
  const std::vector<DiskOperation> log = files_->log();
  EXPECT_FALSE(SomePrefixLoses(log));
  EXPECT_TRUE(SomePrefixLoses(Without(DiskOperation::kSyncFile, log)));
  EXPECT_TRUE(SomePrefixLoses(Without(DiskOperation::kSyncFolder, log)));
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace singa
