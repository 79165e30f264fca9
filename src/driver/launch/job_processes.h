// JobProcesses runs the processes of a job on this host, from one start to their end. One thread
// uses it. The destructor kills processes that are left.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/security/keys.h"
#include "comm/transport/endpoint.h"
#include "driver/launch/child_process.h"
#include "driver/launch/stop_signals.h"
#include "singa/base/error.h"

namespace singa {

struct JobEnd {
  std::optional<ExitCode> code;  // not set: a process was lost, and all may start again
  int rank = 0;                  // rank that ended the job, or that was lost
  ChildEnd end;                  // how it ended
};

struct JobCommand {
  std::string program;
  std::vector<std::string> args;  // without the program's name
  int processes = 1;
  std::optional<Endpoint> coordinator;  // port 0: rank 0 chooses one
  // Whether rank 0 needs the other processes before it loads.
  bool starts_at_once = false;
  // Time from rank 0's start until it reports where it listens, which it does before it loads
  // anything.
  std::chrono::milliseconds start_timeout{60000};
  // Time from rank 0's end until the others must have ended. stop_timeout applies after a signal,
  // as then no process has anything left to save.
  std::chrono::milliseconds end_timeout{10000};
  std::chrono::milliseconds stop_timeout{1500};
  // Called when rank 0 has committed a checkpoint.
  std::function<void()> committed = [] {};
  // is_replaceable: whether process `rank` can be started again alone. replaces: whether to start
  // these killed processes again.
  std::function<bool(int rank)> is_replaceable = [](int) { return false; };
  std::function<bool(const std::vector<JobEnd>& lost)> replaces = [](const std::vector<JobEnd>&) {
    return true;
  };
};

class JobProcesses {
 public:
  // `signals` must outlive it.
  JobProcesses(JobCommand command, StopSignals* signals);
  ~JobProcesses();

  // Starts rank 0, then the others when rank 0 has loaded its values, or when it listens
  // (starts_at_once), or at once if the conf gives its address and port. Returns when all have
  // ended. Throws Error, and PeerError if rank 0 does not listen in time.
  JobEnd Run();
  // Returns whether rank 0 has reported that it has begun.
  bool begun() const { return stage_ >= Stage::kBegun; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Stage { kStarted, kListens, kBegun, kMet };  // how far rank 0 has come

  void Start(int rank);
  void StartOthers();
  void WaitUntil(Time time);
  bool PassSignalsOn();
  void ReadReport();
  void Hear(const std::string& line);
  std::optional<JobEnd> Judge();
  bool IsLoss(int rank) const;
  void ReplaceLost();
  JobEnd EndBecauseOf(int rank);
  void EndOthers();
  void KillAll();

  JobCommand command_;
  StopSignals* signals_;
  JobSecrets secrets_;
  std::vector<std::unique_ptr<ChildProcess>> children_;  // by rank; only those that were started
  Descriptor report_;  // pipe from rank 0, which reports its stage
  std::string told_;   // beginning of an incomplete line
  Stage stage_ = Stage::kStarted;
};

}  // namespace singa
