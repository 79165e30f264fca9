// JobProcesses: the processes of a job on this host, from one start of them to their end. One
// thread uses it. Whoever is left when it goes is killed.
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
  std::optional<ExitCode> code;  // the job's; none: a process was lost, all may start again
  int rank = 0;                  // whose end was the job's, or who was lost
  ChildEnd end;                  // how
};

struct JobCommand {
  std::string program;
  std::vector<std::string> args;  // without the program's name
  int processes = 1;
  std::optional<Endpoint> coordinator;  // port 0: rank 0 chooses one
  // Whether rank 0 needs the others before it loads.
  bool starts_at_once = false;
  // For rank 0 to say where it listens, from its start: before it loads anything.
  std::chrono::milliseconds start_timeout{60000};
  // For the others to end, from the end of rank 0. stop_timeout counts after a signal: then no
  // process has anything left to save.
  std::chrono::milliseconds end_timeout{10000};
  std::chrono::milliseconds stop_timeout{1500};
  // Rank 0 has committed a checkpoint.
  std::function<void()> committed = [] {};
  // Whether process `rank` alone can be started again; whether those that were killed are to be.
  std::function<bool(int rank)> is_replaceable = [](int) { return false; };
  std::function<bool(const std::vector<JobEnd>& lost)> replaces = [](const std::vector<JobEnd>&) {
    return true;
  };
};

class JobProcesses {
 public:
  // `signals` stays the caller's.
  JobProcesses(JobCommand command, StopSignals* signals);
  ~JobProcesses();

  // Starts rank 0, and the others when it has loaded what it trains, or when it listens
  // (starts_at_once), or at once where the conf says where that is; returns when all have ended.
  // Throws PeerError where rank 0 does not listen in time, and Error.
  JobEnd Run();
  // Whether rank 0 said that it has begun.
  bool begun() const { return stage_ >= Stage::kBegun; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Stage { kStarted, kListens, kBegun, kMet };  // of rank 0

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
  std::vector<std::unique_ptr<ChildProcess>> children_;  // by rank, of those started
  Descriptor report_;                                    // rank 0 tells its stage through it
  std::string told_;                                     // the beginning of a line
  Stage stage_ = Stage::kStarted;
};

}  // namespace singa
