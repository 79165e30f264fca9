// Tests that rows which a disk refuses for a while are neither lost nor doubled.
#include "io/file/pending_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "io/checkpoint/sample.h"
#include "io/metrics/metrics_file.h"
#include "support/disk_after.h"
#include "support/forwarding_files.h"

namespace singa {
namespace {

// SmallDisk has room for `room` bytes. A write takes as many as fit, then fails with `error`.
class SmallDisk final : public ForwardingFiles {
 public:
  int64_t room = 0;
  int error = ENOSPC;
  int sync_error = 0;       // of the next sync alone; 0: it succeeds
  std::string suffix = {};  // appended to the real names of appended files

  std::unique_ptr<AppendedFile> Append(const std::string& path) override {
    return std::make_unique<File>(this, ForwardingFiles::Append(path + suffix));
  }

 private:
  class File final : public AppendedFile {
   public:
    File(SmallDisk* disk, std::unique_ptr<AppendedFile> file)
        : disk_(*disk), file_(std::move(file)) {}
    void Write(const void* data, size_t bytes) override {
      const auto fits = std::min(bytes, static_cast<size_t>(disk_.room));
      if (fits > 0) file_->Write(data, fits);
      disk_.room -= static_cast<int64_t>(fits);
      if (fits < bytes) ThrowWriteError(kExitIo, "rows", "cannot write", disk_.error);
    }
    void Sync() override {
      if (const int refusal = std::exchange(disk_.sync_error, 0))
        ThrowWriteError(kExitIo, "rows", "cannot sync", refusal);
      file_->Sync();
    }
    void Close() override { file_->Close(); }
    int64_t Size() override { return file_->Size(); }
    void Truncate(int64_t bytes) override {
      disk_.room += file_->Size() - bytes;
      file_->Truncate(bytes);
    }

   private:
    SmallDisk& disk_;
    const std::unique_ptr<AppendedFile> file_;
  };
};

class HeldClock final : public Clock {
 public:
  int64_t now = 0;
  int64_t Now() const override { return now; }
};

class PendingFileTest : public testing::Test {
 protected:
  PendingOptions Options() {
    PendingOptions options;
    options.clock = &clock_;
    options.most_bytes = 100;
    options.say = [this](const std::string& text) { said_.push_back(text); };
    return options;
  }
  void After(int64_t seconds) { clock_.now += seconds * kSecond; }

  TempFolder folder_;
  std::string path_ = folder_ / "rows";
  SmallDisk disk_;
  HeldClock clock_;
  std::vector<std::string> said_;
};

TEST_F(PendingFileTest, ARowThatWasTakenInPartIsWrittenOnceLater) {
  for (const int error : {ENOSPC, EDQUOT, EIO, EROFS, EFBIG}) {
    std::filesystem::remove(path_);
    said_.clear();
    disk_.error = error;
    disk_.room = 9;
    PendingFile file(&disk_, path_, Options());
    file.Add("first\n");
    file.Add("second\n");
    EXPECT_EQ(ReadAll(path_), "first\nsec");
    After(2);
    file.Add("third\n");  // refused again
    disk_.room = 1000;
    After(2);
    file.Add("fourth\n");
    EXPECT_EQ(ReadAll(path_), "first\nsecond\nthird\nfourth\n");
    ASSERT_EQ(said_.size(), 2u) << "one line when rows begin to wait, one when they are written";
    EXPECT_NE(said_[0].find("wait in memory"), std::string::npos) << said_[0];
    EXPECT_NE(said_[1].find("no row is lost"), std::string::npos) << said_[1];
  }
}

TEST_F(PendingFileTest, DoesNotAskARefusingDiskAtEachRow) {
  PendingFile file(&disk_, path_, Options());
  file.Add("first\n");
  disk_.room = 1000;
  file.Add("second\n");
  EXPECT_EQ(ReadAll(path_), "");
  After(1);
  file.Add("third\n");
  EXPECT_EQ(ReadAll(path_), "first\nsecond\nthird\n");
}

TEST_F(PendingFileTest, SyncThrowsWhileRowsWait) {
  PendingFile file(&disk_, path_, Options());
  file.Add("first\n");
  EXPECT_THROW(file.Sync(), WriteError);
  disk_.room = 1000;
  file.Sync();
  EXPECT_EQ(ReadAll(path_), "first\n");
  EXPECT_EQ(file.waiting(), 0);
}

TEST_F(PendingFileTest, AFileThatCouldNotBeSyncedOnceStaysInDoubt) {
  disk_.room = 1000;
  PendingFile file(&disk_, path_, Options());
  file.Add("first\n");
  disk_.sync_error = EIO;
  EXPECT_THROW(file.Sync(), WriteError);
  file.Add("second\n");
  try {
    file.Sync();
    FAIL() << "the disk may have lost the first row";
  } catch (const WriteError& error) {
    EXPECT_EQ(error.error(), EIO);
  }
  EXPECT_EQ(ReadAll(path_), "first\nsecond\n");
}

TEST_F(PendingFileTest, RowsBehindAFileThatAKilledProcessHasMadeOutlastAPowerLoss) {
  const std::string root = folder_ / "disk", after = folder_ / "after";
  std::filesystem::create_directories(root);
  std::filesystem::create_directories(after);
  RecordedFiles files(root);
  files.Create(root + "/rows")->Close();
  PendingFile file(&files, root + "/rows", Options());
  file.Add("first\n");
  file.Sync();
  DiskAfter(DiskLog(files.log()), files.log().size(), Lost::kAllUnsynced, 0).Store(root, after);
  EXPECT_EQ(ReadAll(after + "/rows"), "first\n");
}

TEST_F(PendingFileTest, SaysWhenMoreWaitsThanMay) {
  PendingFile file(&disk_, path_, Options());
  for (int i = 0; i < 10; ++i) file.Add("ten bytes\n");
  EXPECT_FALSE(file.Overflows());
  file.Add("ten bytes\n");
  EXPECT_TRUE(file.Overflows());
  EXPECT_EQ(file.error(), ENOSPC);
}

class MetricsFileTest : public testing::Test {
 protected:
  std::string CutAt(const std::string& rows, int64_t step) {
    WriteAll(path_, rows);
    MetricsFile({&disk_, folder_.path(), std::vector<int64_t>{step}});
    return ReadAll(path_);
  }
  TempFolder folder_;
  std::string path_ = folder_ / "metrics.jsonl";
  PosixFileSystem disk_;
};

TEST_F(MetricsFileTest, RowsFromTheResumedStepOnAreCut) {
  const std::string a = "{\"step\":1,\"group\":0}\n", b = "{\"step\":2,\"group\":0}\n";
  EXPECT_EQ(CutAt(a + b, 2), a);
  EXPECT_EQ(CutAt(b + "# a note\n" + a, 2), "# a note\n" + a);
}

TEST_F(MetricsFileTest, WhatAKilledProcessLeftBesideItIsRemoved) {
  WriteAll(path_ + ".tmp.0123456789abcdef", "half of the rows");
  WriteAll(path_ + ".old", "the run before");
  CutAt("", 2);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".tmp.0123456789abcdef"));
  EXPECT_TRUE(std::filesystem::exists(path_ + ".old"));
}

TEST_F(MetricsFileTest, WhatACrashLeftOfARowIsCut) {
  const std::string a = "{\"step\":1,\"group\":0}\n";
  EXPECT_EQ(CutAt(a + "{\"step\":1,\"gr", 2), a);
  EXPECT_EQ(CutAt(a + std::string(20, '\0') + ":0}\n", 2), a);
  EXPECT_EQ(CutAt(a + "{\"step\":1,{\"step\":1}\n" + a, 2), a + a);
}

TEST_F(MetricsFileTest, RowsThatCannotBeReadAreAnErrorAndStay) {
  SmallDisk disk;
  disk.suffix = ".rows";
  const std::string rows = "{\"step\":1,\"group\":0}\n";
  WriteAll(path_ + disk.suffix, rows);
  EXPECT_THROW(MetricsFile({&disk, folder_.path(), std::vector<int64_t>{2}}), WriteError);
  std::filesystem::create_directory(path_);
  EXPECT_THROW(MetricsFile({&disk, folder_.path(), std::vector<int64_t>{2}}), WriteError);
  EXPECT_EQ(ReadAll(path_ + disk.suffix), rows);
}

TEST_F(MetricsFileTest, HasNoRoomWhileTooManyRowsWait) {
  SmallDisk disk;
  MetricsFile file({&disk, folder_.path(), {}, {.most_bytes = 10}});
  EXPECT_NO_THROW(file.RequireRoom());
  file.Write({{.phase = "train"}});
  EXPECT_THROW(file.RequireRoom(), WriteError);
}

TEST_F(MetricsFileTest, AWholeLastRowWithoutItsEndStays) {
  EXPECT_EQ(CutAt("{\"step\":1,\"group\":0}", 2), "{\"step\":1,\"group\":0}\n");
}

}  // namespace
}  // namespace singa
