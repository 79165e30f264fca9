// StepGrants: the steps that rank 0 lets the job's worker groups and processes take. One thread
// uses it.
#pragma once

#include <cstdint>

#include "cluster/process/job_process.h"
#include "cluster/workers/worker_groups.h"
#include "driver/job/schedule.h"

namespace singa {

class StepGrants {
 public:
  // No step from `start` on is granted yet. Groups and schedule outlive it.
  StepGrants(WorkerGroups* groups, const Schedule* schedule, int64_t start)
      : groups_(*groups), schedule_(*schedule), granted_(start) {}

  // No process may pass it.
  int64_t granted() const { return granted_; }

  // Other processes may take `step`, and the next one where all will: then they need not wait for
  // the word. Groups that take steps together may take more of them. `ends`: the job is to stop.
  void Grant(int64_t step, bool ends) {
    int64_t next = step + 1;
    JobProcess* const process = groups_.process();
    for (int ahead = groups_.together() ? kAheadTogether
                     : process          ? 1
                                        : 0;
         ahead > 0 && !IsDue(next) && !ends; --ahead)
      ++next;
    if (next <= granted_) return;
    granted_ = next;
    groups_.Grant(granted_);
    if (!process) return;
    ControlMessage control;
    control.mutable_grant()->set_steps(granted_);
    process->leader()->TellAll(control);
  }

 private:
  static constexpr int kAheadTogether = 8;  // steps that a signal may have to wait for

  bool IsDue(int64_t updates) const {
    return schedule_.Validate(updates) || schedule_.Test(updates) ||
           schedule_.Checkpoint(updates) || updates == schedule_.steps();
  }

  WorkerGroups& groups_;
  const Schedule& schedule_;
  int64_t granted_;
};

}  // namespace singa
