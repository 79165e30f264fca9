#include "driver/launch/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/system/system_limits.h"
#include "driver/signals/interrupt.h"

namespace singa {
namespace {

constexpr char kNotStarted[] = "singa: error: the program of a child process cannot be started: ";

std::vector<char*> Pointers(std::vector<std::string>* strings) {
  std::vector<char*> pointers;
  for (std::string& text : *strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentOf(const ChildCommand& command) {
  std::vector<std::string> environment = command.set;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (std::find(command.unset.begin(), command.unset.end(), name) == command.unset.end())
      environment.push_back(text);
  }
  return environment;
}

// Becomes the program. Runs between fork and exec, so it must not allocate memory or take locks.
[[noreturn]] void Become(const ChildCommand& command, pid_t parent, char** argv, char** envp) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExitPeerLost);  // the parent ended before prctl
  // With `stty tostop` this signal stops background processes that print.
  ::signal(SIGTTOU, SIG_IGN);
  // Blocked signals wait until the program takes them, as a job may be stopped before it can.
  sigset_t stops;
  sigemptyset(&stops);
  for (const int stop : kAskingSignals) sigaddset(&stops, stop);
  ::sigprocmask(SIG_SETMASK, &stops, nullptr);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  for (int descriptor : command.inherited) ::fcntl(descriptor, F_SETFD, 0);
  ::execve(command.program.c_str(), argv, envp);
  const int error = errno;
  for (const char* part : {kNotStarted, ::strerrordesc_np(error), "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  ::_exit(kExitCantCreate);
}

}  // namespace

std::string ToString(const ChildEnd& end) {
  return end.signal != 0 ? StrCat("signal ", end.signal) : StrCat("exit code ", end.code);
}

ChildProcess::ChildProcess(const ChildCommand& command) {
  std::vector<std::string> args = command.args, environment = EnvironmentOf(command);
  args.insert(args.begin(), "singa");
  const std::vector<char*> argv = Pointers(&args), envp = Pointers(&environment);
  // Block signals, so that no handler of this process runs in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0)
    Become(command, parent, const_cast<char**>(argv.data()), const_cast<char**>(envp.data()));
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) throw CannotStart("a process", error);
}

ChildProcess::~ChildProcess() { Kill(); }

void ChildProcess::Signal(int signal) const {
  if (end_) return;
  if (signal == SIGKILL) ::kill(-pid_, signal);
  ::kill(pid_, signal);  // the child may not have its group yet
}

void ChildProcess::Reap() { Wait(WNOHANG); }

void ChildProcess::Kill() {
  Signal(SIGKILL);
  Wait(0);
}

void ChildProcess::Wait(int flags) {
  if (end_) return;
  int status = 0;
  pid_t got = 0;
  do got = ::waitpid(pid_, &status, flags);
  while (got < 0 && errno == EINTR);
  if (got == 0) return;
  if (got < 0)
    end_ = {.signal = 0, .code = kExitPeerLost};  // other code has reaped it
  else if (WIFSIGNALED(status))
    end_ = {.signal = WTERMSIG(status), .code = 0};
  else
    end_ = {.signal = 0, .code = WEXITSTATUS(status)};
}

}  // namespace singa
