// SIGINT and SIGTERM for a thread that waits by poll. One object at a time, and not in a process
// that called HandleInterrupts (driver/job/interrupt.h). What the signals did before is restored.
#pragma once

#include <csignal>

#include "base/descriptor.h"
#include "singa/base/error.h"

namespace singa {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Readable when a signal has come that was not taken.
  int descriptor() const { return read_.get(); }
  // The next signal; 0: none.
  int Take();
  // The exit code that the signals taken ask for; kExitOk: there was none.
  ExitCode asked() const { return asked_; }

 private:
  Descriptor read_, write_;
  ExitCode asked_ = kExitOk;
  sigset_t blocked_;
  struct sigaction interrupt_, terminate_, child_;  // as they were
};

}  // namespace singa
