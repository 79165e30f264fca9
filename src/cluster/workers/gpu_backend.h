// GpuBackend is the backend of kAllReduce: the GPUs of one worker group's workers have the values
// and add gradients up among themselves. Each process has values of its own.
#pragma once

#include "cluster/workers/sync_backend.h"
#include "train/apply/replica_updates.h"

namespace singa {

class GpuBackend final : public SyncBackend {
 public:
  // `gpus`: the group of the GPUs of all workers of the job.
  GpuBackend(const SyncSetup& setup, const GpuGroupId& gpus);

  TeamSync SyncOf(int group) override;
  void Allocate(WorkerTeams* teams) override;
  void Stop(WorkerTeams* teams) override;

 private:
  const SyncSetup setup_;
  const GpuGroupId gpus_;
  ReplicaUpdates updates_;
};

}  // namespace singa
