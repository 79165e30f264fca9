// TerminationWatch reports a signal to a process whose end another process decides. It calls
// `asked` once, on its own thread, soon after the signal, or after the start if the signal came
// before.
#pragma once

#include <condition_variable>
#include <functional>
#include <thread>

#include "base/thread/mutex.h"

namespace singa {

// REQUIRES: HandleInterrupts was called (interrupt.h).
class TerminationWatch {
 public:
  explicit TerminationWatch(std::function<void()> asked);
  ~TerminationWatch();
  TerminationWatch(const TerminationWatch&) = delete;
  TerminationWatch& operator=(const TerminationWatch&) = delete;

 private:
  void Run();

  const std::function<void()> asked_;
  Mutex mutex_;
  std::condition_variable changed_;
  bool ends_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace singa
