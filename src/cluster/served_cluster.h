// ServedCluster: the servers of a job that runs as one process, and the ends that its worker groups
// have of them. Messages go from thread to thread, by queues.
#pragma once

#include <memory>
#include <vector>

#include "cluster/served_updates.h"
#include "cluster/server_thread.h"
#include "train/replica.h"

namespace singa {

class ServedCluster final : private Outbox {
 public:
  // Throws ConfigError relative to the JobProto.
  explicit ServedCluster(const JobProto& job);

  // What worker group `group` trains by.
  ServedUpdates& updates(int group) { return *updates_[group]; }
  // Bytes that servers take for params of so many, and their updater's states.
  int64_t bytes(int64_t param_bytes, int64_t states) const;

  // `model` has the first values and states, or a checkpoint's; group g has done steps[g] steps;
  // values[g]: where the group has its params. All outlive the cluster's use.
  void Start(Replica* model, const std::vector<Param*>& params, const std::vector<int64_t>& steps,
             const std::vector<std::vector<float*>>& values);
  // While no group is in a step: waits until all they sent is applied and, with several server
  // groups, known to all; then `model` is what the servers have.
  void Collect(Replica* model);

 private:
  void Post(Message message) override;
  void Drain();
  void ExchangeAll();

  const JobProto job_;
  const Topology topology_;
  SteadyClock clock_;
  SliceTable table_;
  std::vector<ServedParam> params_;
  std::vector<std::unique_ptr<ServedUpdates>> updates_;  // of each worker group
  std::vector<std::unique_ptr<ServerThread>> servers_;   // group by group
};

}  // namespace singa
