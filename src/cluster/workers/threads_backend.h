// ThreadsBackend is the backend of kAlone and kThreads: the worker groups of the job's one process
// share one copy of the values (Niu et al., "Hogwild!", 2011) and update it in memory.
#pragma once

#include <memory>
#include <vector>

#include "cluster/workers/sync_backend.h"
#include "train/apply/replica_updates.h"

namespace singa {

class ThreadsBackend final : public SyncBackend {
 public:
  explicit ThreadsBackend(const SyncSetup& setup) : setup_(setup) {}

  TeamSync SyncOf(int group) override;
  void Allocate(WorkerTeams* teams) override;

 private:
  const SyncSetup setup_;
  std::vector<std::unique_ptr<ReplicaUpdates>> updates_;  // of each team
};

}  // namespace singa
