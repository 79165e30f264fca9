// StepGate lets the worker groups of a job begin their steps. A group waits if it is too far ahead,
// while the first group warms up, or while all are held for a checkpoint. All methods are
// thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <string>
#include <vector>

#include "base/thread/mutex.h"
#include "base/thread/progress_deadline.h"

namespace singa {

class StepGate {
 public:
  // `max_staleness`: steps that a group may be ahead of the slowest (Ho et al., "More Effective
  // Distributed ML via a Stale Synchronous Parallel Parameter Server", 2013); 0: any number.
  // `warmup`: steps that the first group trains alone. `deadline`: of threads that wait here; null:
  // none. It must outlive the gate.
  StepGate(int groups, int64_t max_staleness, int64_t warmup,
           const ProgressDeadline* deadline = nullptr)
      : max_staleness_(max_staleness),
        warmup_(warmup),
        deadline_(deadline ? *deadline : any_),
        groups_(groups) {}

  // Sets the steps that `group` has done: before its first Pass, after each step, or as another
  // process tells.
  void SetSteps(int group, int64_t steps);

  // Blocks until `group`, which has done `steps` steps, may begin another. Returns false if the job
  // ends. Throws Error with kExitStalled, which names the group that it waits for.
  bool Pass(int group, int64_t steps);
  // Allows groups that take all steps together the steps before `steps`. HoldOthers then waits
  // until the groups that train here have done these steps.
  void SetLimit(int64_t steps);
  // Notes that `group` trains in this process.
  void NoteHere(int group);
  // Notes that the gate of another process decides when `group` begins a step. Here it may take the
  // steps that AllowSteps allows.
  void FollowOtherGate(int group);
  // Allows `group` the steps below `steps`. Later calls only raise the value.
  void AllowSteps(int group, int64_t steps);
  // Blocks until `group` has done `steps` steps, or the job ends. Throws as Pass does.
  void AwaitSteps(int group, int64_t steps);
  // Notes that `group` trains no more, so that nobody waits for it.
  void Leave(int group);

  // Holds all groups but `caller` until Go: none begins a step, except those that follow or are
  // below the limit, which take the steps that they were allowed. Blocks until none is in a step.
  // Throws as Pass does if a group does not end its step.
  static constexpr int kNoGroup = -1;
  void HoldOthers(int caller);
  void Go();
  // Makes every Pass return false from now on.
  void Stop();
  bool stopped() const;

  // Returns the steps that `group` has done.
  int64_t steps(int group) const;
  // Blocks until every group but `caller` has left, or the job ends. Returns false after `time`.
  bool AwaitOthers(int caller, std::chrono::milliseconds time);

 private:
  struct Group {
    int64_t steps = 0, allowed = 0;
    bool here = false, follows = false, in_step = false, left = false;
  };
  static constexpr int64_t kNoLimit = INT64_MAX;
  // Returns whether `group` is in no step and owes none: if it takes steps, it has done all below
  // the limit.
  bool IsIdle(int group) const REQUIRES(mutex_);
  bool MayBegin(int group) const REQUIRES(mutex_);
  std::string WaitsFor(int group) const REQUIRES(mutex_);
  [[noreturn]] void ThrowInStep(int group) const REQUIRES(mutex_);
  [[noreturn]] void ThrowStalled(const std::string& who) const;

  const int64_t max_staleness_, warmup_;
  const ProgressDeadline any_;
  const ProgressDeadline& deadline_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::vector<Group> groups_ GUARDED_BY(mutex_);
  int64_t limit_ GUARDED_BY(mutex_) = kNoLimit;
  bool held_ GUARDED_BY(mutex_) = false;  // all groups but holder_ are held
  int holder_ GUARDED_BY(mutex_) = kNoGroup;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace singa
