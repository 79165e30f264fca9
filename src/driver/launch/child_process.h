// ChildProcess: a program that this process starts, ends with, and waits for. The thread that made
// it uses it, and the child is killed when that thread ends, however it does.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace singa {

struct ChildCommand {
  std::string program;             // its path
  std::vector<std::string> args;   // without the program's name
  std::vector<std::string> unset;  // names taken out of this process's environment
  std::vector<std::string> set;    // NAME=VALUE, put in
  std::vector<int> inherited;      // descriptors, besides stdout and stderr; all > 2
};

// How a child ended.
struct ChildEnd {
  int signal = 0;  // that killed it; 0: none
  int code = 0;    // where there was no signal

  bool operator==(const ChildEnd&) const = default;
};
std::string ToString(const ChildEnd& end);  // "signal 9", "exit code 65"

class ChildProcess {
 public:
  // In a process group of its own, so that a terminal's ctrl-C does not reach it, with an empty
  // stdin. Signals that ask to stop are blocked: they wait until the program takes them.
  // StopSignals says when a child has ended. Throws Error, kExitCantCreate.
  explicit ChildProcess(const ChildCommand& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Nothing where it was reaped. SIGKILL goes to all of its process group.
  void Signal(int signal) const;
  // Reaps it if it has ended.
  void Reap();
  // Reaps it, and waits for that.
  void Kill();
  // Once it was reaped.
  const std::optional<ChildEnd>& end() const { return end_; }

 private:
  void Wait(int flags);

  pid_t pid_ = -1;
  std::optional<ChildEnd> end_;
};

}  // namespace singa
