// StepGrants grants steps to the job's worker groups and processes, for rank 0. One thread uses it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "cluster/process/job_process.h"
#include "cluster/workers/worker_groups.h"
#include "driver/job/schedule.h"

namespace singa {

class StepGrants {
 public:
  static constexpr int64_t kMostAhead = 64;  // most steps that are granted with one

  // Steps below `start` are granted already. Groups and schedule must outlive it.
  StepGrants(WorkerGroups* groups, const Schedule* schedule, int64_t start)
      : groups_(*groups), schedule_(*schedule), granted_(start), counted_from_(start) {}

  // Returns the first step that is not granted.
  int64_t granted() const { return granted_; }

  // Called before each step. Grants `step`, and with several processes more steps, so that they
  // need not wait for the message; groups that take steps together get more, too. Grants no step
  // after one at which something is due. `ends`: the job stops, so only `step` is granted.
  void Grant(int64_t step, bool ends) {
    const int64_t ahead = ends ? 0 : Ahead(step);
    if (granted_ > step + ahead / 2) return;  // the next message is not urgent
    int64_t next = step + 1;
    while (next <= step + ahead && !IsDue(next)) ++next;
    if (next <= granted_) return;
    granted_ = next;
    groups_.steps().Grant(granted_);
    JobProcess* const process = groups_.process();
    if (!process) return;
    ControlMessage control;
    control.mutable_grant()->set_steps(granted_);
    process->leader()->TellAll(control);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // A signal may have to wait for the steps that are granted: for kMostAhead steps, or so long.
  static constexpr int64_t kAheadTogether = 8;
  static constexpr std::chrono::milliseconds kAheadTime{50};

  // Returns how many steps after `step` are granted with it. Messages cost time on all processes,
  // so that short steps share one.
  int64_t Ahead(int64_t step) {
    const int64_t least = groups_.steps().together() ? kAheadTogether : groups_.process() ? 1 : 0;
    if (!groups_.process()) return least;
    const Clock::duration passed = Clock::now() - since_;
    if (passed >= kAheadTime) {
      in_time_ = step - counted_from_;
      counted_from_ = step;
      since_ = Clock::now();
    }
    return std::max(least, std::min(in_time_, kMostAhead));
  }

  bool IsDue(int64_t updates) const {
    return schedule_.Validate(updates) || schedule_.Test(updates) ||
           schedule_.Checkpoint(updates) || schedule_.Histograms(updates) ||
           updates == schedule_.steps();
  }

  WorkerGroups& groups_;
  const Schedule& schedule_;
  int64_t granted_;
  // The steps that lately began in kAheadTime, or in the longer time of one step.
  int64_t in_time_ = 0;
  int64_t counted_from_;
  Clock::time_point since_ = Clock::now();
};

}  // namespace singa
