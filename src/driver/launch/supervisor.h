// Supervise runs a job of several processes without a launcher: it starts them all on this host.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/system/cgroup.h"
#include "driver/launch/stop_signals.h"
#include "driver/workspace/progress.h"
#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

void AwaitPause(std::chrono::milliseconds pause, const StopSignals& signals);

// Returns the file that starts this program again: /proc/self/exe, or the value of SINGA_STARTER,
// which tool/starter.cc sets where it starts the program by a loader of its own.
std::string OwnProgram();

struct SuperviseOptions {
  std::string program = OwnProgram();
  // Time for the others to end by themselves after rank 0 has ended.
  std::chrono::milliseconds end_timeout{10000};
  // Replaces end_timeout if a signal has stopped the job: no process has anything left to save.
  std::chrono::milliseconds stop_timeout{1500};
  // Waits before a restart, or until a signal makes `signals` readable. Tests wait for nothing.
  std::function<void(std::chrono::milliseconds pause, const StopSignals& signals)> wait =
      AwaitPause;
  const Clock* clock = nullptr;  // clock for signals; null: the steady clock
  // Returns how often the system has killed processes for lack of memory; nullopt: not known.
  std::function<std::optional<int64_t>()> out_of_memory = [] { return OutOfMemoryKills(); };
};

// Runs the job's processes, each as `program` with `args` and the variables that FindLaunchPlace
// (launch_place.h) reads, until all have ended. Returns the job's exit code. If a process is lost,
// all end and continue from the last checkpoint (`args` with -resume). They start again if rank 0
// had not begun, or there is no checkpoint. This happens at most cluster.max_restarts times since
// the last checkpoint, each time after a longer pause (restart_budget.h). Then it throws
// PeerError, or Error: kExitStalled if the last loss was a stall, kExitNoDevice if the system
// killed a process for lack of memory. A checkpoint does not reset the count of losses for lack of
// memory, as they come again. Processes that are IsReplaceable (topology.h) start again alone, as
// many times. A process that ends with an error (a code below 128) ends the job. SIGINT and
// SIGTERM go to rank 0; a second SIGINT (job/stop_requests.h) kills all. No process outlives this
// thread, even if it is killed.
//
// `args` are without the program's name. REQUIRES: HandleInterrupts was not called.
// Throws Error; a ConfigError's path is relative to the JobProto.
ExitCode Supervise(const JobProto& job, int processes, const std::vector<std::string>& args,
                   Progress* progress, const SuperviseOptions& options = {});

}  // namespace singa
