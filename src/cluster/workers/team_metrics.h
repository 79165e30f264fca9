// TeamMetrics reads the metrics and waits of a team's workers, since they were last taken. Each
// worker keeps its own metrics. The lead's thread uses it between steps.
#pragma once

#include <utility>
#include <vector>

#include "comm/collective/memory_group.h"
#include "train/trainer/trainer.h"

namespace singa {

class TeamMetrics {
 public:
  // `trainers`: of neighbouring workers of one group, all allocated; `group` adds up their
  // gradients. All must outlive it.
  TeamMetrics(std::vector<Trainer*> trainers, MemoryGroup* group)
      : trainers_(std::move(trainers)), group_(*group) {}

  // Adds the metrics of the workers up, in the order of the group's SumTree. Waits for devices.
  MetricSums Sum();
  // Returns MetricSums::Numbers for each node of the tree that these workers make up: the metrics
  // before the sum over nodes. Waits for devices.
  std::vector<std::vector<double>> OfNodes();
  // Begins the metrics again with nothing.
  void Reset();
  // Returns the milliseconds, of all workers together, that they waited for each other since the
  // last call.
  double TakeSyncWaitMs() { return 1e-6 * static_cast<double>(group_.TakeWait()); }
  // Returns the longest time, in milliseconds, that a worker waited for records since the last
  // call.
  double TakeDataWaitMs();

 private:
  const std::vector<Trainer*> trainers_;
  MemoryGroup& group_;
};

}  // namespace singa
