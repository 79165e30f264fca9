// A job of several processes that no launcher started: `singa` starts them on this host itself.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/system/cgroup.h"
#include "driver/job/progress.h"
#include "driver/launch/stop_signals.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

void AwaitPause(std::chrono::milliseconds pause, const StopSignals& signals);

struct SuperviseOptions {
  std::string program = "/proc/self/exe";
  // For the others to end by themselves when rank 0 has ended.
  std::chrono::milliseconds end_timeout{10000};
  // Replaces end_timeout if a signal has stopped the job: no process has anything left to save.
  std::chrono::milliseconds stop_timeout{1500};
  // Waits before a restart, or until a signal makes `signals` readable. Tests wait for nothing.
  std::function<void(std::chrono::milliseconds pause, const StopSignals& signals)> wait =
      AwaitPause;
  const Clock* clock = nullptr;  // of signals; null: the steady clock
  // How often the system has killed processes for lack of memory, as far as is known.
  std::function<std::optional<int64_t>()> out_of_memory = [] { return OutOfMemoryKills(); };
};

// Runs the job's processes, each as `program` with `args` and what FindLaunchPlace
// (launch_place.h) reads, until all have ended; returns the job's exit code. A process that is
// lost ends all, which go on from the last checkpoint (`args` with -resume), or, where rank 0 had
// not begun yet, start again: cluster.max_restarts times since the last checkpoint, each time after
// a longer pause (restart_budget.h); then throws PeerError, or Error, kExitStalled, where one stood
// still in the end, kExitNoDevice where the system has killed it for lack of memory. A checkpoint
// does not forgive losses for lack of memory: they come again at the same place. So many times one
// that IsReplaceable (topology.h) is started again alone. A process that ends with an error that
// is no loss (a code below 128) ends the job. SIGINT and SIGTERM are for rank 0; a second SIGINT
// (job/stop_requests.h) kills all. None of them outlives this thread, not even where it is killed.
//
// `args` are without the program's name. REQUIRES: HandleInterrupts was not called.
// Throws Error; a ConfigError's path is relative to the JobProto.
ExitCode Supervise(const JobProto& job, int processes, const std::vector<std::string>& args,
                   Progress* progress, const SuperviseOptions& options = {});

}  // namespace singa
