// Tests that committed data survives a crash of the system, and a failing disk, at any operation.
#include <glog/logging.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <utility>

#include "io/checkpoint/retention.h"
#include "io/checkpoint/sample.h"
#include "support/fault_file_system.h"
#include "support/forwarding_files.h"

namespace singa {
namespace {

using Written = std::pair<int64_t, int>;  // step, version

#ifdef SINGA_SANITIZED
constexpr int64_t kShare = 3;  // each operation fails in one of so many ways
#else
constexpr int64_t kShare = 1;
#endif

// Life is the life of a workspace, and its commits so far.
struct Life {
  Written begun = {-1, 0}, committed = {-1, 0};
  bool best_committed = false;
  int errors = 0;

  void Write(FileSystem& fs, const std::string& workspace, int64_t step, int version) {
    begun = {step, version};
    const NumberedModel sample(step, version, 2);
    WriteCheckpoint(fs, workspace, sample.content());
    committed = begun;
  }

  // `attempt` runs each part, and may handle the part's errors.
  void Run(FileSystem& fs, const std::string& workspace,
           const std::function<void(const std::function<void()>&)>& attempt) {
    attempt([&] { Write(fs, workspace, 10, 1); });
    attempt([&] { Write(fs, workspace, 20, 2); });
    attempt([&] {
      if (committed.first != 20) return;
      SetBest(fs, workspace, 20);
      best_committed = true;
    });
    attempt([&] { Write(fs, workspace, 20, 3); });  // as a resumed run does
    attempt([&] { Write(fs, workspace, 30, 4); });
    attempt([&] { ApplyRetention(fs, workspace, committed.first, 1); });
    attempt([&] { Write(fs, workspace, 40, 5); });
    attempt([&] {
      if (committed.first == 40) SetBest(fs, workspace, 40);
    });
    attempt([&] { ApplyRetention(fs, workspace, committed.first, 1); });
  }
};

// Keeps warnings from stderr while it lives.
class NoWarnings {
 public:
  NoWarnings() { FLAGS_minloglevel = google::GLOG_ERROR; }
  ~NoWarnings() { FLAGS_minloglevel = before_; }

 private:
  const int before_ = FLAGS_minloglevel;
};

class CrashTest : public testing::Test {
 protected:
  std::string workspace() const { return *root_ / "work/space"; }

  static int64_t Operations() {
    const TempFolder root;
    FaultFileSystem fs(root.path());
    Life().Run(fs, root / "work/space", [](const auto& part) { part(); });
    return fs.operations();
  }

  void CheckAfterwards(FileSystem& fs, const Life& life, bool after_crash) {
    std::string said;
    const auto newest =
        NewestValid(workspace(), [&](const std::string& why) { said += why + "\n"; });
    EXPECT_EQ(said, "");
    if (after_crash) {
      for (const CheckpointEntry& entry : ListCheckpoints(workspace()))
        EXPECT_TRUE(VerifyCheckpoint(entry.dir).empty()) << "partial and visible: " << entry.dir;
    }
    EXPECT_TRUE(BestStep(workspace()) || !life.best_committed);
    if (life.committed.first >= 0) {
      ASSERT_NE(newest, nullptr);
      EXPECT_GE(Written(newest->step(), VersionOf(*newest)), life.committed);
      EXPECT_LE(Written(newest->step(), VersionOf(*newest)), life.begun);
    }
    const NumberedModel next(50, 6, 2);
    WriteCheckpoint(fs, workspace(), next.content());
    EXPECT_EQ(VersionOf(*NewestValid(workspace(), Ignore)), 6);
    for (const std::string& name : fs.List(CheckpointFolder(workspace()))) {
      EXPECT_EQ(name.find(".tmp."), std::string::npos) << name;
      EXPECT_EQ(name.find(".old."), std::string::npos) << name;
    }
    if (const auto best = BestStep(workspace())) {
      EXPECT_EQ(LoadCheckpoint(workspace() + "/checkpoint/best")->step(), *best);
    }
  }

  std::unique_ptr<TempFolder> root_ = std::make_unique<TempFolder>();
};

TEST_F(CrashTest, LosesNothingCommittedAtAnyOperation) {
  using Survives = FaultFileSystem::Survives;
  const std::vector<std::pair<Survives, uint32_t>> modes = {
      {Survives::kOnlySynced, 0}, {Survives::kNamesButNoData, 0}, {Survives::kEverything, 0},
      {Survives::kAnything, 1},   {Survives::kAnything, 2},       {Survives::kAnything, 3}};
  const int64_t operations = Operations();
  ASSERT_GT(operations, 100);
  int64_t crashes = 0, cases = 0;
  for (int64_t k = 0; k < operations; ++k) {
    for (size_t i = k % kShare; i < modes.size(); i += kShare, ++cases) {
      const auto& [survives, seed] = modes[i];
      SCOPED_TRACE(StrCat("operation ", k, ", mode ", static_cast<int>(survives), ", seed ", seed));
      root_ = std::make_unique<TempFolder>();
      FaultFileSystem fs(root_->path());
      fs.CrashAt(k);
      Life life;
      try {
        life.Run(fs, workspace(), [](const auto& part) { part(); });
      } catch (const Crash&) {
        ++crashes;
      }
      fs.Reboot(survives, seed * 1000 + static_cast<uint32_t>(k));
      CheckAfterwards(fs, life, true);
      if (HasFailure()) return;
    }
  }
  EXPECT_EQ(crashes, cases);
}

TEST_F(CrashTest, AFailingOperationIsReportedAndHarmsNoCheckpoint) {
  const NoWarnings thousands;
  const int64_t operations = Operations();
  for (int error : {ENOSPC, EIO}) {
    for (bool all_after : {false, true}) {
      for (int64_t k = (error + all_after) % kShare; k < operations; k += kShare) {
        SCOPED_TRACE(StrCat("operation ", k, ", errno ", error, all_after ? " for ever" : ""));
        root_ = std::make_unique<TempFolder>();
        FaultFileSystem fs(root_->path());
        fs.FailAt(k, error, all_after);
        Life life;
        life.Run(fs, workspace(), [&](const auto& part) {
          try {
            part();
          } catch (const FileError& file_error) {
            EXPECT_EQ(file_error.code(), kExitIo);
            ++life.errors;
          }
        });
        EXPECT_TRUE(fs.faulted());
        fs.Heal();
        CheckAfterwards(fs, life, false);
        if (HasFailure()) return;
      }
    }
  }
}

// After a failed sync, memory has names that the disk does not know.
TEST_F(CrashTest, ACrashSoonAfterAFailureLosesNothingCommitted) {
  const NoWarnings thousands;
  const auto play = [&](int64_t fail_at, int64_t crash_at, int64_t* ends) {
    root_ = std::make_unique<TempFolder>();
    FaultFileSystem fs(root_->path());
    Life life;
    life.Write(fs, workspace(), 20, 1);
    *ends++ = fs.operations();
    fs.FailAt(fail_at, EIO, false);
    fs.CrashAt(crash_at);
    try {
      life.Write(fs, workspace(), 20, 2);
    } catch (const FileError&) {
    } catch (const Crash&) {
    }
    *ends++ = fs.operations();
    try {
      life.Write(fs, workspace(), 30, 3);
    } catch (const Crash&) {
    }
    *ends = fs.operations();
    fs.Reboot(FaultFileSystem::Survives::kAnything,
              static_cast<uint32_t>(fail_at * 1000 + crash_at));
    CheckAfterwards(fs, life, true);
  };
  int64_t ends[3], whole[3];
  play(-1, -1, whole);
  for (int64_t fail_at = whole[0]; fail_at < whole[1]; ++fail_at) {
    play(fail_at, -1, ends);
    for (int64_t crash_at = ends[1], end = ends[2]; crash_at < end; crash_at += kShare) {
      SCOPED_TRACE(StrCat("failure at ", fail_at, ", crash at ", crash_at));
      play(fail_at, crash_at, ends);
      if (HasFailure()) return;
    }
  }
}

// After a failed fsync the content is unknown, although a second fsync succeeds (fsyncgate).
TEST_F(CrashTest, AFailedSyncIsNotTriedAgain) {
  class Disk final : public ForwardingFiles {
   public:
    class File final : public WritableFile {
     public:
      File(std::unique_ptr<WritableFile> file, int* syncs)
          : file_(std::move(file)), syncs_(syncs) {}
      void Write(const void* data, size_t bytes) override { file_->Write(data, bytes); }
      void Sync() override {
        if (++*syncs_ == 1) throw FileError(kExitIo, "a", "cannot sync");
      }
      void Close() override { file_->Close(); }

     private:
      std::unique_ptr<WritableFile> file_;
      int* syncs_;
    };
    std::unique_ptr<WritableFile> Create(const std::string& path) override {
      return std::make_unique<File>(ForwardingFiles::Create(path), &syncs);
    }
    int syncs = 0;

   private:
  };
  Disk disk;
  const NumberedModel sample(10, 1);
  EXPECT_THROW(WriteCheckpoint(disk, workspace(), sample.content()), FileError);
  EXPECT_EQ(disk.syncs, 1);
  EXPECT_TRUE(disk.List(CheckpointFolder(workspace())).empty());
  WriteCheckpoint(disk, workspace(), sample.content());
  EXPECT_NE(NewestValid(workspace(), Ignore), nullptr);
}

}  // namespace
}  // namespace singa
