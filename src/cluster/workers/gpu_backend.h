// GpuBackend is the backend of kAllReduce: the GPUs of one worker group's workers have the values
// and add gradients up among themselves. Each process has values of its own. A checkpoint has what
// the compression of gradients keeps for each worker, under the names that processes of one worker
// on CPUs use (CodecState, LowRankSums, PartialUpdates).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cluster/workers/sync_backend.h"
#include "train/apply/replica_updates.h"

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
  // A part of a worker's state, as a checkpoint has it.
  struct Part {
    std::string name;
    Shape shape;
    bool alike = false;  // in all workers; the first one saves it
  };
  std::vector<SliceState> Gather(const std::vector<int64_t>& steps) override;
  void Exchange(const std::vector<int64_t>&) override { ShareModel(); }
  void BringOwnBack() override;
  void SaveState(std::vector<StoredTensor>* state) override;
  void RestoreState(const Safetensors& state) override;
  void UseRestoredState() override;
  const AllReduceProto& conf() const { return setup_.job.cluster().all_reduce(); }
  bool averages() const { return conf().compression() == AllReduceProto::kPartial; }
  std::vector<Part> PartsOf(int worker) const;
  bool Restore(size_t worker);
  std::vector<SliceState> ShareModel();
  void Download();

  const SyncSetup setup_;
  const GpuGroupId gpus_;
  const Range here_;  // workers of this process
  ReplicaUpdates updates_;
  // By worker here. States are those of its parts, in their order.
  std::vector<std::vector<float>> states_;
  std::vector<std::vector<Part>> parts_;  // set by Allocate
  std::vector<GpuSender> senders_;        // empty: whole gradients are sent
  WorkerTeams* teams_ = nullptr;          // set by Allocate
  // The replica has the mean of all workers' values, not those of the first worker here.
  bool has_model_ = false;
  std::map<std::string, std::vector<float>> restored_;  // by name
  bool restores_ = false;                               // the checkpoint has some worker's
  bool lost_ = false;                                   // it has one's that the job has no more
};

}  // namespace singa
