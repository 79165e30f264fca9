// SIGTERM of a process whose end another one decides: `asked` is called, on a thread of its own.
// SIGINT, which terminals and launchers send to that other process as well, is ignored.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace singa {

// One object at a time. While it lives, threads that are started take no SIGTERM; afterwards the
// process ignores it. REQUIRES: no thread that computes was started.
class TerminationWatch {
 public:
  explicit TerminationWatch(std::function<void()> asked);
  ~TerminationWatch();
  TerminationWatch(const TerminationWatch&) = delete;
  TerminationWatch& operator=(const TerminationWatch&) = delete;

 private:
  void Run();

  const std::function<void()> asked_;
  sigset_t blocked_;  // before
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace singa
