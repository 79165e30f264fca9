// ChildProcess is a program that this process starts and waits for. Only the thread that made it
// uses it. The child is killed when that thread ends, in any way.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace singa {

struct ChildCommand {
  std::string program;             // path of the program
  std::vector<std::string> args;   // without the program's name
  std::vector<std::string> unset;  // variables removed from this process's environment
  std::vector<std::string> set;    // NAME=VALUE, added to the environment
  std::vector<int> inherited;      // descriptors, besides stdout and stderr; all > 2
};

// The end of a child.
struct ChildEnd {
  int signal = 0;  // signal that killed it; 0: none
  int code = 0;    // exit code, if there was no signal

  bool operator==(const ChildEnd&) const = default;
};
std::string ToString(const ChildEnd& end);  // "signal 9", "exit code 65"

class ChildProcess {
 public:
  // Starts the program in its own process group, so that a terminal's Ctrl-C does not reach it,
  // with an empty stdin. Signals that ask to stop are blocked until the program takes them.
  // StopSignals tells when a child has ended. Throws Error, kExitCantCreate.
  explicit ChildProcess(const ChildCommand& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Sends a signal, unless the child was reaped. SIGKILL goes to its whole process group.
  void Signal(int signal) const;
  // Reaps the child if it has ended.
  void Reap();
  // Kills and reaps the child. Blocks until it has ended.
  void Kill();
  // Returns how the child ended; not set before it was reaped.
  const std::optional<ChildEnd>& end() const { return end_; }

 private:
  void Wait(int flags);

  pid_t pid_ = -1;
  std::optional<ChildEnd> end_;
};

}  // namespace singa
