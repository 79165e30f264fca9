// ServersBackend is the backend of kServers: servers have the values. Each worker group has a copy
// of its own, which the servers keep in sync. With one group, a server uses the params of its
// process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/restored_state.h"
#include "cluster/process/served_cluster.h"
#include "cluster/workers/sync_backend.h"
#include "train/apply/replica_updates.h"

namespace singa {

class ServersBackend final : public SyncBackend, private ModelState {
 public:
  explicit ServersBackend(const SyncSetup& setup);

  TeamSync SyncOf(int group) override;
  void AddMemory(WorkerTeams* teams, JobMemory* sum) const override;
  void Allocate(WorkerTeams* teams) override;
  void Watch(const std::string& where, StallDetector* finder) const override;
  void Connect(WorkerTeams* teams, const std::vector<int64_t>& steps, int64_t total) override;
  void Fill() override;
  int64_t TakeOver(int group) override;
  ModelState& model_state() override { return *this; }
  SyncStats TakeStats(int group) override;
  SumTimes MeasureSum(int64_t floats) override;
  void Fail(const std::exception_ptr& error) override;
  void Close() override;

 private:
  std::vector<SliceState> Gather(const std::vector<int64_t>& steps) override;
  void Exchange(const std::vector<int64_t>& versions) override;
  void SaveState(std::vector<StoredTensor>* state) override;
  void RestoreState(const Safetensors& state) override;
  void UseRestoredState() override;

  const SyncSetup setup_;
  const std::unique_ptr<ServedCluster> own_;  // null in a job of several processes
  ServedCluster& cluster_;                    // *own_, or the process's
  RestoredState restored_;                    // of the codec
  // The state of exchanges between server groups here, by name.
  std::map<std::string, std::vector<float>> restored_sync_;
  std::unique_ptr<ReplicaUpdates> none_;  // in a process of servers alone, which trains nothing
};

}  // namespace singa
