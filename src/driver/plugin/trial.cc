#include "driver/plugin/trial.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/file/descriptor.h"
#include "base/system/system_limits.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kLimit{20};
constexpr size_t kMaxSaid = 4096;

struct Pipe {
  Descriptor in, out;  // end to read, end to write
};

[[noreturn]] void ThrowUntried() {
  const Error why = CannotStart("a process for it", errno);
  throw ConfigError("", StrCat("cannot be tried: ", why.what()), why.code());
}

Pipe MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) ThrowUntried();
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Runs in the child. Writes a byte when dlopen has returned, as the library could also exit with
// code 0.
[[noreturn]] void Load(const std::string& path, int said, int loaded) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
  ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  while (::write(loaded, "", 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

// Appends the bytes that can be read now.
void ReadSome(int descriptor, std::string* text) {
  char buffer[512];
  for (ssize_t n; (n = ::read(descriptor, buffer, sizeof buffer)) > 0;)
    if (text->size() < kMaxSaid) text->append(buffer, static_cast<size_t>(n));
}

enum class Outcome : uint8_t { kLoaded, kEnded, kLate };

// Waits for the child. `ends` is readable when it has ended; if it is -1, the closed pipes tell.
Outcome Wait(int said, int loaded, int ends, std::string* text) {
  const auto deadline = steady_clock::now() + kLimit;
  pollfd watched[] = {{loaded, POLLIN, 0}, {ends, POLLIN, 0}, {said, POLLIN, 0}};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
    if (left <= 0) return Outcome::kLate;
    if (::poll(watched, 3, static_cast<int>(left)) < 0) continue;  // a signal
    ReadSome(said, text);
    if (watched[0].revents || watched[1].revents) {
      std::string byte;
      ReadSome(loaded, &byte);
      return byte.empty() ? Outcome::kEnded : Outcome::kLoaded;
    }
    if (watched[2].revents & POLLHUP) watched[2].fd = -1;  // the library has closed it
  }
}

}  // namespace

std::string TryToLoad(const std::string& path) {
  Pipe said = MakePipe(), loaded = MakePipe();
  const pid_t child = ::fork();
  if (child < 0) ThrowUntried();
  if (child == 0) Load(path, said.out.get(), loaded.out.get());
  said.out.Close();
  loaded.out.Close();
  const Descriptor ends(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  std::string text;
  const Outcome outcome = Wait(said.in.get(), loaded.in.get(), ends.get(), &text);
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (outcome == Outcome::kLoaded) return "";
  if (outcome == Outcome::kLate) return StrCat("is not loaded after ", kLimit.count(), " s");
  text = text.substr(0, text.find('\n'));
  return StrCat("ends the process while it is loaded", text.empty() ? "" : ": ", Printable(text));
}

}  // namespace singa
