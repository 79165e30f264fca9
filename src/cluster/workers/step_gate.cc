#include "cluster/workers/step_gate.h"

#include <algorithm>

#include "cluster/protocol/seconds.h"
#include "singa/base/error.h"

namespace singa {

void StepGate::SetSteps(int group, int64_t steps) {
  const MutexLock lock(&mutex_);
  groups_[group].steps = steps;
  changed_.notify_all();
}

void StepGate::SetLimit(int64_t steps) {
  const MutexLock lock(&mutex_);
  limit_ = steps;
  changed_.notify_all();
}

void StepGate::NoteHere(int group) {
  const MutexLock lock(&mutex_);
  groups_[group].here = true;
}

void StepGate::FollowOtherGate(int group) {
  const MutexLock lock(&mutex_);
  groups_[group].follows = true;
}

void StepGate::AllowSteps(int group, int64_t steps) {
  const MutexLock lock(&mutex_);
  groups_[group].allowed = std::max(groups_[group].allowed, steps);
  changed_.notify_all();
}

void StepGate::AwaitSteps(int group, int64_t steps) {
  MutexLock lock(&mutex_);
  const auto done = [&]() REQUIRES(mutex_) { return stopped_ || groups_[group].steps >= steps; };
  if (!deadline_.Wait(&changed_, &lock.native(), done)) ThrowInStep(group);
}

// A group that follows has to end each step that its first process has begun, even during a hold.
bool StepGate::MayBegin(int group) const {
  if (groups_[group].follows) return groups_[group].steps < groups_[group].allowed;
  if (limit_ < kNoLimit) return groups_[group].steps < limit_;
  if (held_ && holder_ != group) return false;
  const Group& first = groups_[0];
  if (group > 0 && !first.left && first.steps < warmup_) return false;
  if (max_staleness_ == 0) return true;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const bool warming = g > 0 && groups_[g].steps == 0 && first.steps <= warmup_;
    if (!groups_[g].left && !warming && groups_[group].steps - groups_[g].steps > max_staleness_)
      return false;
  }
  return true;
}

bool StepGate::Pass(int group, int64_t steps) {
  MutexLock lock(&mutex_);
  groups_[group].steps = steps;
  groups_[group].in_step = false;
  changed_.notify_all();
  if (!deadline_.Wait(&changed_, &lock.native(),
                      [&]() REQUIRES(mutex_) { return stopped_ || MayBegin(group); }))
    ThrowStalled(StrCat(WaitsFor(group), ", while group ", group, " waits for it"));
  groups_[group].in_step = !stopped_;
  return !stopped_;
}

void StepGate::Leave(int group) {
  const MutexLock lock(&mutex_);
  groups_[group].in_step = false;
  groups_[group].left = true;
  changed_.notify_all();
}

bool StepGate::IsIdle(int group) const {
  const Group& one = groups_[group];
  const bool owes = limit_ < kNoLimit && one.here && !one.follows && !one.left;
  const bool behind = owes && one.steps < limit_;
  return !one.in_step && !behind;
}

void StepGate::HoldOthers(int caller) {
  MutexLock lock(&mutex_);
  held_ = true;
  holder_ = caller;
  const int groups = static_cast<int>(groups_.size());
  // Returns the first group that has not stopped, or `groups`.
  const auto in_step = [&]() REQUIRES(mutex_) {
    int group = 0;
    while (group < groups && (group == caller || IsIdle(group))) ++group;
    return group;
  };
  if (deadline_.Wait(&changed_, &lock.native(),
                     [&]() REQUIRES(mutex_) { return in_step() == groups; }))
    return;
  ThrowInStep(in_step());
}

void StepGate::ThrowInStep(int group) const {
  ThrowStalled(StrCat("worker group ", group, " stands still in step ", groups_[group].steps,
                      ", while others wait for its end"));
}

// Returns the text about the group that holds all, else about the slowest.
std::string StepGate::WaitsFor(int group) const {
  if (groups_[group].follows)
    return StrCat("the first process of worker group ", group, " begins no step");
  if (held_)
    return StrCat(holder_ == kNoGroup ? "process 0" : StrCat("worker group ", holder_),
                  " stands still: it holds the others");
  if (groups_[group].steps >= limit_)
    return "the first worker group stands still: it grants no step";
  size_t slowest = group == 0 && groups_.size() > 1 ? 1 : 0;
  for (size_t g = 0; g < groups_.size(); ++g)
    if (static_cast<int>(g) != group && !groups_[g].left &&
        (groups_[slowest].left || groups_[g].steps < groups_[slowest].steps))
      slowest = g;
  return StrCat("worker group ", slowest, " stands still: it has done ", groups_[slowest].steps,
                " steps");
}

void StepGate::ThrowStalled(const std::string& who) const {
  throw Error(kExitStalled,
              StrCat(who, "; nothing in the job made progress for ", Seconds(deadline_.longest())));
}

void StepGate::Go() {
  const MutexLock lock(&mutex_);
  held_ = false;
  changed_.notify_all();
}

void StepGate::Stop() {
  const MutexLock lock(&mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool StepGate::stopped() const {
  const MutexLock lock(&mutex_);
  return stopped_;
}

int64_t StepGate::steps(int group) const {
  const MutexLock lock(&mutex_);
  return groups_[group].steps;
}

bool StepGate::AwaitOthers(int caller, std::chrono::milliseconds time) {
  MutexLock lock(&mutex_);
  const auto busy = [&](const Group& group)
                        REQUIRES(mutex_) { return &group != &groups_[caller] && !group.left; };
  return changed_.wait_for(lock.native(), time, [&]() REQUIRES(mutex_) {
    return stopped_ || std::none_of(groups_.begin(), groups_.end(), busy);
  });
}

}  // namespace singa
