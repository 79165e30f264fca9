// StepGrants grants steps to the job's worker groups and processes, for rank 0. One thread uses it.
#pragma once

#include <cstdint>

#include "cluster/process/job_process.h"
#include "cluster/workers/worker_groups.h"
#include "driver/job/schedule.h"

namespace singa {

class StepGrants {
 public:
  // Steps below `start` are granted already. Groups and schedule must outlive it.
  StepGrants(WorkerGroups* groups, const Schedule* schedule, int64_t start)
      : groups_(*groups), schedule_(*schedule), granted_(start) {}

  // Returns the first step that is not granted.
  int64_t granted() const { return granted_; }

  // Grants `step`, and with several processes the next step, too, so that they need not wait for
  // the message; groups that take steps together get more. Grants no step after one at which
  // something is due. `ends`: the job stops, so only `step` is granted.
  void Grant(int64_t step, bool ends) {
    int64_t next = step + 1;
    JobProcess* const process = groups_.process();
    for (int ahead = groups_.steps().together() ? kAheadTogether
                     : process                  ? 1
                                                : 0;
         ahead > 0 && !IsDue(next) && !ends; --ahead)
      ++next;
    if (next <= granted_) return;
    granted_ = next;
    groups_.steps().Grant(granted_);
    if (!process) return;
    ControlMessage control;
    control.mutable_grant()->set_steps(granted_);
    process->leader()->TellAll(control);
  }

 private:
  static constexpr int kAheadTogether = 8;  // steps for which a signal may have to wait

  bool IsDue(int64_t updates) const {
    return schedule_.Validate(updates) || schedule_.Test(updates) ||
           schedule_.Checkpoint(updates) || updates == schedule_.steps();
  }

  WorkerGroups& groups_;
  const Schedule& schedule_;
  int64_t granted_;
};

}  // namespace singa
