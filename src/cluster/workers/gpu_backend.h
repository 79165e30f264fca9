// GpuBackend is the backend of kAllReduce: the GPUs of one worker group's workers have the values
// and add gradients up among themselves. Each process has values of its own. A checkpoint has what
// the compression of gradients keeps for each worker, under the names that processes of one worker
// on CPUs use (CodecState, LowRankSums, PartialUpdates).
#pragma once

#include <string>
#include <vector>

#include "cluster/client/restored_state.h"
#include "cluster/workers/sync_backend.h"
#include "train/apply/replica_updates.h"
#include "train/device/gpu_compression.h"

namespace singa {

class GpuBackend final : public SyncBackend, private ModelState {
 public:
  // `gpus`: the group of the GPUs of all workers of the job.
  GpuBackend(const SyncSetup& setup, const GpuGroupId& gpus);

  TeamSync SyncOf(int group) override;
  void AddMemory(WorkerTeams* teams, JobMemory* sum) const override;
  void Allocate(WorkerTeams* teams) override;
  ModelState& model_state() override { return *this; }
  void Stop(WorkerTeams* teams) override;

 private:
  std::vector<SliceState> Gather(const std::vector<int64_t>& steps) override;
  void Exchange(const std::vector<int64_t>&) override { ShareModel(); }
  void BringOwnBack() override;
  void SaveState(std::vector<StoredTensor>* state) override;
  void RestoreState(const Safetensors& state) override;
  void UseRestoredState() override;
  CompressedParams ParamsOf(WorkerTeams* teams) const;
  std::vector<StatePart> PartsOf(int worker) const;
  bool Restore(size_t worker);
  std::vector<SliceState> ShareModel();
  void Download();

  const SyncSetup setup_;
  const GpuGroupId gpus_;
  const Range here_;  // workers of this process
  const GpuCompression& compression_;
  ReplicaUpdates updates_;
  // By worker here. A state has the parts, in their order. It is empty if the replica has it.
  std::vector<std::vector<float>> states_;
  std::vector<std::vector<StatePart>> parts_;  // set by Allocate
  std::vector<GpuSender> senders_;             // empty: workers keep no state
  WorkerTeams* teams_ = nullptr;               // set by Allocate
  // The replica has the mean of all workers' values, not those of the first worker here.
  bool has_model_ = false;
  RestoredState restored_;
};

}  // namespace singa
