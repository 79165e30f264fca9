// StopSignals takes the signals that ask a job to stop (driver/signals/interrupt.h), for a thread
// that waits by poll. The end of a child also wakes that thread. The destructor restores the
// signals' former actions. An ignored signal stays ignored. REQUIRES: there is one object at a
// time, and HandleInterrupts was not called.
#pragma once

#include <csignal>
#include <utility>
#include <vector>

#include "base/system/descriptor.h"
#include "base/thread/clock.h"
#include "driver/signals/stop_requests.h"
#include "singa/base/error.h"

namespace singa {

class StopSignals {
 public:
  // `clock` must outlive it; null: the steady clock.
  explicit StopSignals(const Clock* clock = nullptr);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Returns a descriptor that is readable when a signal has come or a child has ended since Take
  // last returned 0. The caller then calls Take, and after that looks for ended children. (Older
  // kernels and filters of containers refuse a pidfd for each child.)
  int descriptor() const { return read_.get(); }
  // Returns the next signal; 0: none. Skips a SIGINT that has no new meaning (job/stop_requests.h).
  int Take();
  // Returns whether a signal that was taken asks to end at once.
  bool at_once() const { return at_once_; }
  // Returns the exit code for the signals taken; kExitOk: there was none.
  ExitCode asked() const { return asked_; }

 private:
  const SteadyClock steady_;
  const Clock& clock_;
  Descriptor read_, write_;
  StopRequests requests_;
  bool at_once_ = false;
  ExitCode asked_ = kExitOk;
  sigset_t blocked_;
  std::vector<std::pair<int, struct sigaction>> before_;  // former actions of the signals
};

}  // namespace singa
