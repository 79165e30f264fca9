// SimCluster runs all processes of a job over a SimNetwork, in one thread and in simulated time.
// They behave as those of a real job: they train, pause for checkpoints, and begin again from the
// last checkpoint when a process is lost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/cluster/sim_roles.h"
#include "support/sim_network.h"

namespace singa {

class SimCluster {
 public:
  // The seed chooses the faults of the network and the moments of checkpoints.
  SimCluster(const SimJob& job, uint64_t seed);
  SimCluster(const SimCluster&) = delete;

  // Breaks connections and pauses processes, some times in the first second.
  void Disturb();
  // Loses a process at random moments, up to `times` times.
  void CrashUpTo(int times) { crashes_left_ = times; }
  // Replaces a lost process at random moments between checkpoints, up to `times` times. This
  // happens only if the job has processes that can be replaced.
  void ReplaceUpTo(int times) { replacements_left_ = times; }
  // Trains all steps. Returns "" if they are done; else a text of what is missing at simulated time
  // `limit`.
  std::string Run();

  // Returns the values of a server group. Unknown values are 0.
  std::vector<float> Values(int server_group);
  SimRoles& process(int rank) { return static_cast<SimRoles&>(*network.process(rank)); }
  int crashes() const { return crashes_; }
  int replacements() const { return replacements_; }
  // Returns the sums over the processes of all starts.
  const ChannelCounters& channel() const { return channel_; }
  int64_t refused() const { return refused_; }  // messages, by roles

  SimNetwork network;
  SimRun run;
  int64_t limit = 3600 * kSimSecond;
  // A test may change the model here after it was gathered.
  std::function<void(SimSnapshot*)> on_snapshot;

 private:
  bool TrainToTheEnd();
  void Begin();
  void End();
  void Crash();
  void Count(int rank);
  // Returns false if a process was lost, or if the limit is reached.
  bool Await(const std::function<bool(SimRoles&)>& of_each, const char* what);
  bool Await(const std::function<bool()>& done, const char* what);
  bool Equalise();
  bool Gather();
  void CheckAtMostOnce();
  void SetCrash();
  void SetReplacement();
  void Replace();

  const SimJob& job_;
  int crashes_left_ = 0, crashes_ = 0;
  int replacements_left_ = 0, replacements_ = 0;
  int64_t replace_at_ = INT64_MAX;  // a count of run.handled
  int64_t crash_at_ = INT64_MAX;    // a count of run.handled
  int exchange_ = 0;                // number of the last one
  bool lost_ = false;               // a process was lost since this start
  std::string stuck_;
  ChannelCounters channel_;
  int64_t refused_ = 0;
};

}  // namespace singa
