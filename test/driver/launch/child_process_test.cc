#include "driver/launch/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/system/descriptor.h"
#include "singa/base/error.h"

namespace singa::child_process {
namespace {

constexpr int kLimitMs = 30000;

ChildCommand Shell(const std::string& script) {
  return {.program = "/bin/sh", .args = {"-c", script}, .unset = {}, .set = {}, .inherited = {}};
}

// Waits until process `pid` has ended. A zombie has ended.
void AwaitEnd(pid_t pid) {
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  pollfd watched = {process.get(), POLLIN, 0};
  if (process.get() >= 0) {
    EXPECT_EQ(poll(&watched, 1, kLimitMs), 1);
  }
}

ChildEnd EndOf(ChildProcess* child) {
  AwaitEnd(child->pid());
  child->Reap();
  EXPECT_TRUE(child->end());
  return child->end().value_or(ChildEnd{});
}
ChildEnd EndOf(const ChildCommand& command) {
  ChildProcess child(command);
  return EndOf(&child);
}

TEST(ChildProcess, EndsWithACodeOrBySignal) {
  const ChildEnd code = EndOf(Shell("exit 7")), signal = EndOf(Shell("kill -9 $$"));
  EXPECT_EQ(code, (ChildEnd{.code = 7}));
  EXPECT_EQ(signal, (ChildEnd{.signal = 9}));
  EXPECT_EQ(ToString(code), "exit code 7");
  EXPECT_EQ(ToString(signal), "signal 9");
}

TEST(ChildProcess, HasNoEndWhileItRuns) {
  ChildProcess child(Shell("sleep 1000"));
  child.Reap();
  EXPECT_FALSE(child.end());
  child.Kill();
  EXPECT_EQ(child.end(), (ChildEnd{.signal = SIGKILL}));
  child.Kill();  // it was reaped: no other process of that id gets a signal
  EXPECT_EQ(child.end(), (ChildEnd{.signal = SIGKILL}));
}

TEST(ChildProcess, IsKilledByItsDestructor) {
  pid_t pid = 0;
  {
    const ChildProcess child(Shell("sleep 1000"));
    pid = child.pid();
  }
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(ChildProcess, HasTheEnvironmentOfThisProcessWithChanges) {
  setenv("SINGA_TEST_KEPT", "1", 1);
  setenv("SINGA_TEST_GONE", "1", 1);
  setenv("SINGA_TEST_SET", "1", 1);
  ChildCommand command = Shell(
      "[ \"$SINGA_TEST_KEPT$SINGA_TEST_GONE$SINGA_TEST_SET\" = 12 ] && [ $0 = singa ] && exit 5");
  command.args.emplace_back("singa");
  command.unset = {"SINGA_TEST_GONE", "SINGA_TEST_SET"};
  command.set = {"SINGA_TEST_SET=2"};
  EXPECT_EQ(EndOf(command), (ChildEnd{.code = 5}));
  for (const char* name : {"SINGA_TEST_KEPT", "SINGA_TEST_GONE", "SINGA_TEST_SET"}) unsetenv(name);
}

TEST(ChildProcess, HasAnEmptyStdin) {
  EXPECT_EQ(EndOf(Shell("read line && exit 3; exit 4")), (ChildEnd{.code = 4}));
}

TEST(ChildProcess, InheritsTheDescriptorsThatItShall) {
  int given[2], kept[2];
  ASSERT_EQ(pipe2(given, O_CLOEXEC), 0);
  ASSERT_EQ(pipe(kept), 0);  // without O_CLOEXEC
  const Descriptor ends[] = {Descriptor(given[0]), Descriptor(given[1]), Descriptor(kept[0]),
                             Descriptor(kept[1])};
  ChildCommand command = Shell("[ -e /proc/$$/fd/" + std::to_string(given[1]) + " ] && [ ! -e " +
                               "/proc/$$/fd/" + std::to_string(kept[1]) + " ] && exit 6");
  command.inherited = {given[1]};
  EXPECT_EQ(EndOf(command), (ChildEnd{.code = 6}));
}

TEST(ChildProcess, ASignalToStopWaitsUntilTheProgramTakesIt) {
  ChildProcess child(Shell("exit 3"));  // the shell takes none
  child.Signal(SIGTERM);
  EXPECT_EQ(EndOf(&child), (ChildEnd{.code = 3}));
}

TEST(ChildProcess, IsKilledWithTheProcessesThatItStarted) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const Descriptor in(ends[0]);
  Descriptor out(ends[1]);
  ChildCommand command =
      Shell("sleep 1000 & echo $! > /proc/self/fd/" + std::to_string(out.get()) + "; wait");
  command.inherited = {out.get()};
  ChildProcess child(command);
  out.Close();
  std::string line;
  for (char c = 0; read(in.get(), &c, 1) == 1 && c != '\n';) line += c;
  const auto grandchild = static_cast<pid_t>(std::atoi(line.c_str()));
  ASSERT_GT(grandchild, 0);
  EXPECT_EQ(getpgid(grandchild), child.pid());
  child.Kill();
  AwaitEnd(grandchild);
}

TEST(ChildProcess, SaysWhyItsProgramCannotBeStarted) {
  testing::internal::CaptureStderr();
  ChildCommand command = Shell("");
  command.program = "/none";
  EXPECT_EQ(EndOf(command), (ChildEnd{.code = kExitCantCreate}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "singa: error: the program of a child process cannot be started: No such file or "
            "directory\n");
}

}  // namespace
}  // namespace singa::child_process
