#include "base/system/trial.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sstream>

#include "base/system/descriptor.h"
#include "base/system/system_limits.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using std::chrono::steady_clock;

constexpr size_t kMaxSaid = 4096;

struct Pipe {
  Descriptor in, out;  // end to read, end to write
};

[[noreturn]] void ThrowUntried() { throw CannotStart("a process for it", errno); }

Pipe MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) ThrowUntried();
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Runs in the child. Writes a byte when `work` has returned, as it could also exit with code 0.
[[noreturn]] void Run(const std::function<void()>& work, int said, int returned) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(1);
  }
  while (::write(returned, "", 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

// Appends the bytes that can be read now.
void ReadSome(int descriptor, std::string* text) {
  char buffer[512];
  for (ssize_t n; (n = ::read(descriptor, buffer, sizeof buffer)) > 0;)
    if (text->size() < kMaxSaid) text->append(buffer, static_cast<size_t>(n));
}

// Returns the first line that has letters: Open MPI rules lines above its messages.
std::string FirstWords(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; }))
      return line;
  return "";
}

// Waits for the child. `ends` is readable when it has ended; if it is -1, the closed pipes tell.
TrialEnd::Outcome Wait(int said, int returned, int ends, std::chrono::seconds limit,
                       std::string* text) {
  const auto deadline = steady_clock::now() + limit;
  pollfd watched[] = {{returned, POLLIN, 0}, {ends, POLLIN, 0}, {said, POLLIN, 0}};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) return TrialEnd::kLate;
    if (::poll(watched, 3, static_cast<int>(left)) < 0) continue;  // a signal
    ReadSome(said, text);
    if (watched[0].revents || watched[1].revents) {
      std::string byte;
      ReadSome(returned, &byte);
      return byte.empty() ? TrialEnd::kEnded : TrialEnd::kReturned;
    }
    if (watched[2].revents & POLLHUP) watched[2].fd = -1;  // `work` has closed it
  }
}

}  // namespace

TrialEnd RunTrial(const std::function<void()>& work, std::chrono::seconds limit) {
  Pipe said = MakePipe(), returned = MakePipe();
  const pid_t child = ::fork();
  if (child < 0) ThrowUntried();
  if (child == 0) Run(work, said.out.get(), returned.out.get());
  said.out.Close();
  returned.out.Close();
  const Descriptor ends(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  TrialEnd end;
  end.outcome = Wait(said.in.get(), returned.in.get(), ends.get(), limit, &end.said);
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  end.said = FirstWords(end.said);
  return end;
}

}  // namespace singa
