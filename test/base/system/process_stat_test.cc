#include "base/system/process_stat.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/lock_file.h"

namespace singa {
namespace {

// While it lives, no file can be opened: EMFILE.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

TEST(ProcessStatTest, AProcessRunsWithItsOwnStartAlone) {
  const auto own = ReadProcessStat(getpid());
  ASSERT_TRUE(own);
  EXPECT_EQ(own->parent, getppid());
  EXPECT_TRUE(MayRun(getpid(), own->start));
  EXPECT_TRUE(MayRun(getpid(), -1));
  EXPECT_FALSE(MayRun(getpid(), own->start + 1));
}

TEST(ProcessStatTest, AProcessThatHasEndedDoesNotRun) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(MayRun(child, -1)) << "it waits for its parent";
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(MayRun(child, -1));
}

TEST(ProcessStatTest, WithoutADescriptorAProcessCountsAsRunning) {
  const int64_t start = ReadProcessStat(getpid())->start;
  const LockHolder self = LockHolder::Self(0);
  const NoDescriptors none;
  EXPECT_FALSE(ReadProcessStat(getpid()));
  EXPECT_TRUE(MayRun(getpid(), start));
  EXPECT_TRUE(self.RunsHere());
}

// The holder's start is unknown because the process had no descriptor left to read its own.
TEST(ProcessStatTest, AHolderOfUnknownStartIsNotTakenForEnded) {
  LockHolder self;
  {
    const NoDescriptors none;
    self = LockHolder::Self(0);
  }
  EXPECT_TRUE(self.RunsHere());
}

}  // namespace
}  // namespace singa
