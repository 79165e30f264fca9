// SimCluster: all processes of a job over a SimNetwork, in one thread and in simulated time: they
// train, stand still for checkpoints now and then, and begin again from the last one when a process
// is lost, as those of a job do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/cluster/sim_roles.h"
#include "support/sim_network.h"

namespace singa {

class SimCluster {
 public:
  // The seed chooses what the network does and when checkpoints are made.
  SimCluster(const SimJob& job, uint64_t seed);
  SimCluster(const SimCluster&) = delete;

  // Connections break, processes stop and run on, some times in the first second.
  void Disturb();
  // At random moments a process is lost, up to `times` times.
  void CrashUpTo(int times) { crashes_left_ = times; }
  // At random moments between checkpoints another process takes the place of one that is lost,
  // where that can be, up to `times` times.
  void ReplaceUpTo(int times) { replacements_left_ = times; }
  // Trains all steps. "": they are done; else what is waited for at simulated time `limit`.
  std::string Run();

  // Of a server group; where nothing is known, 0.
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
  // May change what was gathered.
  std::function<void(SimSnapshot*)> on_snapshot;

 private:
  bool TrainToTheEnd();
  void Begin();
  void End();
  void Crash();
  void Count(int rank);
  // False: a process was lost, or the limit is reached.
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
  int64_t replace_at_ = INT64_MAX;  // of run.handled
  int64_t crash_at_ = INT64_MAX;    // of run.handled
  int exchange_ = 0;                // the last one
  bool lost_ = false;               // a process, since this start
  std::string stuck_;
  ChannelCounters channel_;
  int64_t refused_ = 0;
};

}  // namespace singa
