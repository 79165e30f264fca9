// How a process ends one of whose threads does not come back.
#pragma once

#include <chrono>
#include <exception>
#include <string>

#include "driver/job/run_job.h"
#include "driver/job/termination_watch.h"

namespace singa {

// Says `error`, where no other process of the job does, and ends the process with its code: nobody
// could join that thread. Any thread may call.
[[noreturn]] void EndProcess(const RunOptions& options, const Error& error);
// Longer than a step that is of no use any more takes, in most jobs, and shorter than a supervisor
// waits before it kills.
inline constexpr std::chrono::seconds kLongestEnd(8);
// The end of a job that cannot go on, by `why`, while a thread of `whose` did not come back for
// kLongestEnd. What another process has told is rank 0's to show.
[[noreturn]] void EndLate(const RunOptions& options, const std::exception_ptr& why, int rank,
                          const std::string& whose);
// With kExitStalled.
[[noreturn]] void EndStalled(const RunOptions& options, const std::string& text);

// While it lives, a signal ends the process: it may read for minutes, and has nothing to save. The
// error says that `before` ("the first step") it was stopped. REQUIRES: HandleInterrupts was
// called.
class EndsOnSignal {
 public:
  EndsOnSignal(const RunOptions& options, const std::string& before);

 private:
  const TerminationWatch watch_;
};

}  // namespace singa
