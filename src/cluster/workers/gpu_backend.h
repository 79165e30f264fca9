// GpuBackend is the backend of kAllReduce: the GPUs of one worker group's workers have the values
// and add gradients up among themselves. Each process has values of its own. Where each GPU sends
// the largest floats of its gradient, a checkpoint has what it has left out, under the names that
// processes of one worker on CPUs use (CodecState).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/workers/sync_backend.h"
#include "train/apply/replica_updates.h"

namespace singa {

class GpuBackend final : public SyncBackend {
 public:
  // `gpus`: the group of the GPUs of all workers of the job.
  GpuBackend(const SyncSetup& setup, const GpuGroupId& gpus);

  TeamSync SyncOf(int group) override;
  void AddMemory(WorkerTeams* teams, JobMemory* sum) const override;
  void Allocate(WorkerTeams* teams) override;
  void UseRestoredState() override;
  void SaveState(std::vector<StoredTensor>* state) override;
  void RestoreState(const Safetensors& state) override;
  void Stop(WorkerTeams* teams) override;

 private:
  bool Restore(const std::string& prefix, const LargestSender& sender);

  const SyncSetup setup_;
  const GpuGroupId gpus_;
  const Range here_;  // workers of this process
  ReplicaUpdates updates_;
  std::vector<std::vector<float>> states_;  // by worker here
  std::vector<LargestSender> senders_;      // by worker here; empty: whole gradients are sent
  WorkerTeams* teams_ = nullptr;            // set by Allocate
  SliceTable table_;
  std::map<std::string, std::vector<float>> restored_;  // of workers here, by name
  bool restores_ = false;                               // the checkpoint has some worker's
};

}  // namespace singa
