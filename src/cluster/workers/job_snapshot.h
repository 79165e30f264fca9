// JobSnapshot holds the worker groups of a job still, and collects the values and states for a test
// or a checkpoint. Rank 0's first thread uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "cluster/workers/worker_groups.h"
#include "singa/proto/rows.pb.h"

namespace singa {

class JobSnapshot {
 public:
  // `groups` must outlive it. `held` is called when all groups of several processes are held, so
  // that rows of metrics are written before a checkpoint.
  explicit JobSnapshot(
      WorkerGroups* groups, std::function<void()> held = [] {})
      : groups_(*groups), held_(std::move(held)) {}

  // While a Hold lives, no group but the first is in a step or begins one, except as
  // StepGate::HoldOthers says. Holds may be nested.
  class Hold {
   public:
    explicit Hold(JobSnapshot* snapshot) : snapshot_(*snapshot) { snapshot_.HoldOthers(); }
    ~Hold() { snapshot_.Go(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    JobSnapshot& snapshot_;
  };
  // Copies the trained model to the first worker's params and the replica. REQUIRES: a Hold
  // lives, and the first group has done `steps` steps.
  void Collect(int64_t steps);
  // Gives the lead its own group's values back, if Collect replaced them. Called before the first
  // group's next step.
  void BringOwnValuesBack();
  // Returns the states of the other processes of the job for a checkpoint. REQUIRES: a Hold lives.
  std::vector<ProcessState> CollectStates();

 private:
  void HoldOthers();
  void Go();
  void KeepOwnValues();
  bool HoldsProcesses() const;  // others have groups that have to be held

  WorkerGroups& groups_;
  const std::function<void()> held_;
  int holds_ = 0;                               // number that live
  bool collected_ = false;                      // Collect was called since the first of them
  std::vector<std::vector<float>> own_values_;  // the lead's own, while it has the model's
};

// Returns the states of the other processes of `group` for a checkpoint. REQUIRES: `process` is not
// rank 0 and leads the group, and rank 0 has a Hold.
std::vector<ProcessState> AwaitStates(JobProcess* process, int group);

}  // namespace singa
