// These functions end a process although a thread of it does not return.
#pragma once

#include <chrono>
#include <exception>
#include <string>

#include "driver/job/run_job.h"
#include "driver/signals/termination_watch.h"

namespace singa {

// Shows `error`, unless another process of the job does, and ends the process with its code,
// without joining threads. Any thread may call it.
[[noreturn]] void EndProcess(const RunOptions& options, const Error& error);
// Time for threads to return after the job has failed. It is longer than a step of most jobs, and
// shorter than a supervisor's end_timeout.
inline constexpr std::chrono::seconds kLongestEnd(8);
// Ends the process after `why` has ended the job and a thread of `whose` has not returned for
// kLongestEnd. Only rank 0 shows an error of another process.
[[noreturn]] void EndLate(const RunOptions& options, const std::exception_ptr& why, int rank,
                          const std::string& whose);
// Ends the process with kExitStalled.
[[noreturn]] void EndStalled(const RunOptions& options, const std::string& text);

// While it exists, a signal ends the process, which may read for minutes and has nothing to save.
// The error says that the process was stopped before `before` ("the first step"). REQUIRES:
// HandleInterrupts was called.
class EndsOnSignal {
 public:
  EndsOnSignal(const RunOptions& options, const std::string& before);

 private:
  const TerminationWatch watch_;
};

}  // namespace singa
