// The signals that ask a job to stop (driver/job/interrupt.h), for a thread that waits by poll,
// which the end of a child wakes, too. One object at a time, and not in a process that called
// HandleInterrupts. The destructor restores the signals' former actions. An ignored signal stays
// ignored.
#pragma once

#include <csignal>
#include <utility>
#include <vector>

#include "base/file/descriptor.h"
#include "base/thread/clock.h"
#include "driver/job/stop_requests.h"
#include "singa/base/error.h"

namespace singa {

class StopSignals {
 public:
  // `clock` outlives it; null: the steady clock.
  explicit StopSignals(const Clock* clock = nullptr);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Readable when a signal has come, or a child has ended, since Take last gave 0. Then look for
  // ended children, after Take. A pidfd of each child would do as well, but older kernels and
  // containers' filters of system calls refuse it.
  int descriptor() const { return read_.get(); }
  // The next signal; 0: none. A SIGINT that says nothing new is left out (job/stop_requests.h).
  int Take();
  // Whether one of those taken asks to end at once.
  bool at_once() const { return at_once_; }
  // The exit code that the signals taken ask for; kExitOk: there was none.
  ExitCode asked() const { return asked_; }

 private:
  const SteadyClock steady_;
  const Clock& clock_;
  Descriptor read_, write_;
  StopRequests requests_;
  bool at_once_ = false;
  ExitCode asked_ = kExitOk;
  sigset_t blocked_;
  std::vector<std::pair<int, struct sigaction>> before_;  // what signals did
};

}  // namespace singa
