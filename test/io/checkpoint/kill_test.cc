// Kills a process that writes checkpoints, by SIGKILL at random moments.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <random>
#include <set>
#include <thread>

#include "io/checkpoint/retention.h"
#include "io/checkpoint/sample.h"

namespace singa {
namespace {

struct Commit {
  int64_t step;
  int version;
};

// Writes checkpoints from step `first` for ever. Each step is written twice, as after a resume.
[[noreturn]] void WriteForEver(const std::string& workspace, int64_t first, int pipe) {
  PosixFileSystem disk;
  int version = 0;
  for (int64_t step = first;; step += 10) {
    for (int again = 0; again < 2; ++again) {
      const NumberedModel sample(step, ++version, 2000);
      WriteCheckpoint(disk, workspace, sample.content());
      const Commit commit = {step, version};
      if (write(pipe, &commit, sizeof commit) != sizeof commit) _exit(1);
    }
    if (step % 30 == 0) SetBest(disk, workspace, step);
    ApplyRetention(disk, workspace, step, 2);
  }
}

// Kills the writer at a moment of its second to fourth write. Returns the last commit that it
// reported.
Commit RunAndKill(const std::string& workspace, int64_t first, std::mt19937* random) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) WriteForEver(workspace, first, ends[1]);
  close(ends[1]);
  Commit last = {-1, 0}, commit;
  if (read(ends[0], &commit, sizeof commit) == sizeof commit) last = commit;
  const std::chrono::duration<double> one_write = std::chrono::steady_clock::now() - start;
  const double share = static_cast<double>((*random)()) / std::mt19937::max();
  std::this_thread::sleep_for(one_write * 3 * share);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
  while (read(ends[0], &commit, sizeof commit) == sizeof commit) last = commit;
  close(ends[0]);
  return last;
}

TEST(Kill9, AtAnyMomentLeavesTheLastCommittedCheckpoint) {
  constexpr int kTrials = 50;
  const TempFolder workspace(TempFolder::OnDisk());  // on a disk, where a sync takes time
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE(StrCat("seed ", seed));
  std::mt19937 random(seed);
  int64_t first = 10;
  std::set<std::string> leftovers;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Commit last = RunAndKill(workspace.path(), first, &random);
    ASSERT_GE(last.step, first);
    for (const std::string& name : PosixFileSystem().List(workspace / "checkpoint"))
      if (name.find('.') != std::string::npos) leftovers.insert(name);
    std::string said;
    const auto newest =
        NewestValid(workspace.path(), [&](const std::string& why) { said += why + "\n"; });
    ASSERT_NE(newest, nullptr);
    EXPECT_EQ(said, "");
    EXPECT_GE(std::pair(newest->step(), VersionOf(*newest)), std::pair(last.step, last.version));
    first = newest->step();
  }
  std::cout << kTrials << " kills, " << leftovers.size() << " unfinished folders met, last step "
            << first << '\n';
  EXPECT_GT(leftovers.size(), 0u) << "no kill hit a write";
}

}  // namespace
}  // namespace singa
