#include "base/file/lock_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

int Refuses(int) { return EWOULDBLOCK; }
int HasNoSuchLock(int) { return ENOSYS; }
int Fails(int) { return EIO; }
LockHolder KnowsNobody(int) { return {}; }

// This file system has no locks: the file itself is the lock.
constexpr LockCalls kByFile = {HasNoSuchLock, HasNoSuchLock, KnowsNobody};

class LockFileTest : public ::testing::Test {
 protected:
  std::string Held() const { return path_ + ".held"; }
  // Returns the text of a lock file that names `holder`.
  static std::string Says(const LockHolder& holder) {
    return StrCat("singa-lock-1 ", holder.host, " ", holder.pid, " ", holder.rank, " ", holder.boot,
                  " ", holder.start, "\n");
  }
  // Returns a process of this host that has ended. A process with another start time uses its
  // number now.
  static LockHolder Ended() {
    LockHolder holder = LockHolder::Self(0);
    holder.start += 1;
    return holder;
  }

  TempDir folder_;
  PosixFileSystem files_;
  const std::string path_ = folder_.Path("lock");
  const LockHolder self_ = LockHolder::Self(2);
};

TEST_F(LockFileTest, OneHasItUntilItGoes) {
  {
    LockFile first(&files_, path_, self_);
    EXPECT_TRUE(first.TryLock());
    LockFile second(&files_, path_, LockHolder::Self(0));
    EXPECT_FALSE(second.TryLock());
    EXPECT_EQ(second.holder(), self_);
    EXPECT_TRUE(second.HolderRunsHere());
    EXPECT_EQ(second.Remedy(), "a host that is gone loses it in time");
  }
  EXPECT_TRUE(LockFile(&files_, path_, self_).TryLock());
}

TEST_F(LockFileTest, TextNamesTheProcess) {
  EXPECT_EQ((LockHolder{.host = "node3", .pid = 17, .rank = 2}.Text()),
            "process 17 (rank 2) of host node3");
  EXPECT_EQ((LockHolder{.host = "node3", .pid = 17}.Text()), "process 17 of host node3");
  EXPECT_EQ(LockHolder().Text(), "a process that it does not name");
}

TEST_F(LockFileTest, AHolderThatIsNotKnownIsReadFromTheFile) {
  folder_.Write("lock", Says({.host = "elsewhere", .boot = "b", .pid = 17, .start = 4}));
  LockFile lock(&files_, path_, self_, {Refuses, Refuses, KnowsNobody});
  EXPECT_FALSE(lock.TryLock());
  EXPECT_EQ(lock.holder().Text(), "process 17 of host elsewhere");
  EXPECT_FALSE(lock.HolderRunsHere());
}

TEST_F(LockFileTest, AFileThatNamesNobodyIsNoError) {
  for (const char* text : {"", "singa-lock-1", "singa-lock-1 h -3 0 b 1\n", "other 1 2 3 4 5\n"}) {
    folder_.Write("lock", text);
    LockFile lock(&files_, path_, self_, {Refuses, Refuses, KnowsNobody});
    EXPECT_FALSE(lock.TryLock());
    EXPECT_FALSE(lock.holder().known()) << text;
  }
}

TEST_F(LockFileTest, TheSecondKindOfLockIsTakenWhereTheFirstIsMissing) {
  LockCalls calls = kSystemLockCalls;
  calls.flock = HasNoSuchLock;
  LockFile first(&files_, path_, self_, calls);
  EXPECT_TRUE(first.TryLock());
  LockFile second(&files_, path_, self_, calls);
  EXPECT_FALSE(second.TryLock());
  EXPECT_FALSE(std::filesystem::exists(Held()));
}

TEST_F(LockFileTest, OtherErrorsOfALockAreTheUsers) {
  LockFile lock(&files_, path_, self_, {Fails, Fails, KnowsNobody});
  EXPECT_ERROR(lock.TryLock(), kExitIo, path_, "cannot lock");
}

TEST_F(LockFileTest, WithoutLocksAFileIsTheLock) {
  {
    LockFile first(&files_, path_, self_, kByFile);
    EXPECT_TRUE(first.TryLock());
    EXPECT_EQ(TempDir::Read(Held()), Says(self_));
    LockFile second(&files_, path_, LockHolder::Self(0), kByFile);
    EXPECT_FALSE(second.TryLock());
    EXPECT_EQ(second.holder(), self_);
    EXPECT_TRUE(second.HolderRunsHere());
    EXPECT_EQ(second.Remedy(), "if that process has ended, remove " + Held());
  }
  EXPECT_FALSE(std::filesystem::exists(Held()));
}

TEST_F(LockFileTest, AFileOfAProcessThatHasEndedHereIsReplaced) {
  folder_.Write("lock.held", Says(Ended()));
  LockFile lock(&files_, path_, self_, kByFile);
  EXPECT_TRUE(lock.TryLock());
  EXPECT_EQ(TempDir::Read(Held()), Says(self_));
}

TEST_F(LockFileTest, AFileOfAnotherHostStays) {
  LockHolder other = Ended();
  other.host = "elsewhere";
  folder_.Write("lock.held", Says(other));
  LockFile lock(&files_, path_, self_, kByFile);
  EXPECT_FALSE(lock.TryLock());
  EXPECT_EQ(lock.holder(), other);
  EXPECT_EQ(TempDir::Read(Held()), Says(other));
}

TEST_F(LockFileTest, AFilePutAsideIsStillTheLockOfAProcessThatRuns) {
  folder_.Write("lock.held.01ab", Says(LockHolder::Self(0)));
  LockFile lock(&files_, path_, self_, kByFile);
  EXPECT_FALSE(lock.TryLock());
  EXPECT_FALSE(std::filesystem::exists(Held()));
  folder_.Write("lock.held.01ab", Says(Ended()));
  EXPECT_TRUE(lock.TryLock());
  EXPECT_FALSE(std::filesystem::exists(Held() + ".01ab"));
}

}  // namespace
}  // namespace singa
