// StepGate: what the worker groups of a job pass before each step. They do not wait for each other
// here, but where one is too far ahead, where the first warms up, or while all stand still for a
// checkpoint.
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
  // `warmup`: steps that the first group trains alone.
  // `deadline`: of threads that wait here; null: none. It outlives the gate.
  StepGate(int groups, int64_t max_staleness, int64_t warmup,
           const ProgressDeadline* deadline = nullptr)
      : max_staleness_(max_staleness),
        warmup_(warmup),
        deadline_(deadline ? *deadline : any_),
        groups_(groups) {}

  // `group` has done `steps` steps: before its first Pass, after each step, or as another process
  // says.
  void SetSteps(int group, int64_t steps);

  // Waits until `group`, which has done `steps` steps, may begin another. False: the job ends.
  // Throws Error, kExitStalled, that names the group which it waits for.
  bool Pass(int group, int64_t steps);
  // Where groups take all steps together: none begins step `steps` before a later one is named
  // here, and whoever holds them waits until those `Here` have done the steps before it.
  void SetLimit(int64_t steps);
  // `group` trains in this process.
  void Here(int group);
  // `group` trains here and in its first process, whose gate is the one that it passes: here it may
  // take those steps that AllowSteps names.
  void Follow(int group);
  // Those before `steps`; more each time.
  void AllowSteps(int group, int64_t steps);
  // Waits until `group` has done so many steps, or the job ends. Throws as Pass.
  void AwaitSteps(int group, int64_t steps);
  // `group` trains no more: nobody waits for it.
  void Leave(int group);

  // From here to Go no group but the caller's, where that is one, begins a step, and none is in
  // one. Throws as Pass, where one does not end its step.
  static constexpr int kNoGroup = -1;
  void HoldOthers(int caller);
  void Go();
  // Every Pass returns false from now on.
  void Stop();
  bool stopped() const;

  // Steps that `group` has done.
  int64_t steps(int group) const;
  // Waits until every group but `caller` has left, or the job ends; false: not within `time`.
  bool AwaitOthers(int caller, std::chrono::milliseconds time);

 private:
  struct Group {
    int64_t steps = 0, allowed = 0;
    bool here = false, follows = false, in_step = false, left = false;
  };
  static constexpr int64_t kNoLimit = INT64_MAX;
  bool Stands(int group) const REQUIRES(mutex_);
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
  bool held_ GUARDED_BY(mutex_) = false;  // all but holder_
  int holder_ GUARDED_BY(mutex_) = kNoGroup;
  bool stopped_ GUARDED_BY(mutex_) = false;
};

}  // namespace singa
