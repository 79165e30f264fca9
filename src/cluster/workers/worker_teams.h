// WorkerTeams has the team of each worker group that has workers in this process.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/workers/sync_backend.h"
#include "cluster/workers/worker_team.h"

namespace singa {

class WorkerTeams {
 public:
  using ByGroup = std::map<int, std::unique_ptr<WorkerTeam>>;

  // `failed`: as in TeamSetup. `backend` must outlive it. Throws ConfigError relative to the
  // JobProto.
  WorkerTeams(const SyncSetup& setup, SyncBackend* backend,
              std::function<void(const std::exception_ptr&)> failed = {});

  // Returns false in a process of servers alone. Its one team never trains, and only tells which
  // params there are.
  bool HasWorkers() const { return has_workers_; }
  std::vector<int> here() const;  // the groups that have workers here
  WorkerTeam& team(int group) { return *teams_.at(group); }
  const ByGroup& all() const { return teams_; }
  // Returns the first worker here. At rank 0 it has the evaluation nets.
  Trainer& lead() { return teams_.begin()->second->lead(); }
  // Return whether all workers here keep and update the values on GPUs, and, for people, why one
  // does not; "": all do.
  bool UpdatesOnGpus() { return WhyHostUpdates().empty(); }
  std::string WhyHostUpdates();
  JobMemory memory() const;
  // Returns the number of steps of the groups here that were dropped.
  int64_t CountSkips();
  // Copies the values of the lead, which were set, to all workers here.
  void BroadcastValues();
  // Makes workers that wait within a step throw Stopped. Any thread may call it.
  void Stop();

 private:
  void MakeTeam(const SyncSetup& setup, WorkerPlace place, int workers, SyncBackend* backend);

  const bool has_workers_;
  const std::function<void(const std::exception_ptr&)> failed_;
  ByGroup teams_;
};

}  // namespace singa
