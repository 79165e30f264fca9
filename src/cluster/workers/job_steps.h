// JobSteps knows how far the worker groups of a job are, and lets those of this process begin their
// steps. A group's first process decides when a step begins, and tells the job how far the group
// is. All methods are thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "cluster/process/job_process.h"
#include "cluster/workers/step_gate.h"

namespace singa {

class JobSteps {
 public:
  // `process`: null in a job of one process. `deadline`: of groups that wait for others. Both must
  // outlive it.
  JobSteps(const JobProto& job, JobProcess* process, const ProgressDeadline* deadline);

  int groups() const { return groups_; }
  // Returns the steps that each group has done, as far as this process knows.
  std::vector<int64_t> done() const;
  StepGate& gate() { return gate_; }
  // Returns whether groups take all steps together (StepsTogether).
  bool together() const { return together_; }
  int FirstProcess(int group) const;  // the first that has workers of `group`
  // Returns whether this is the first process of `group`. REQUIRES: the group has workers here.
  bool Leads(int group) const {
    return !process_ || FirstProcess(group) == process_->part().rank();
  }

  // Notes the groups that train in this process, and the total steps of each group. Higher counts
  // of other processes are refused. REQUIRES: the gate knows how many steps each group has done.
  void Begin(const std::vector<int>& here, int64_t total);
  // Returns the total of each group. REQUIRES: Begin was called.
  int64_t total() const { return total_; }
  // Lets groups that take all steps together take the steps below `steps`.
  void Grant(int64_t steps);
  // Lets the other processes of the group take the steps below `steps`.
  void AllowSteps(int group, int64_t steps);
  // Note that a group has done `steps` steps, or trains no more, and tell other processes that may
  // wait for it.
  void NoteSteps(int group, int64_t steps);
  void Leave(int group);

  // Take news from other processes, which are not trusted: impossible steps are refused. A group of
  // others has done `steps` steps.
  void OnSteps(int group, int64_t steps);
  // Process `rank` tells the steps of its groups in its answer to a hold.
  void OnHeld(int rank, const ControlMessage::Held& held);
  // The first process of `group`, which is here, too, allows the steps before `steps`.
  void OnAllowed(int group, int64_t steps);
  // Returns how often steps were refused.
  int64_t refused() const { return refused_; }

 private:
  JobProcess* const process_;
  const int groups_;
  const bool together_;
  const bool paced_;  // some group may have to wait for another
  StepGate gate_;
  std::atomic<int64_t> total_{0};  // steps of each group
  std::atomic<int64_t> refused_{0};
};

}  // namespace singa
