#include "cluster/step_gate.h"

#include <algorithm>

namespace singa {

void StepGate::SetSteps(int group, int64_t steps) {
  const std::lock_guard lock(mutex_);
  groups_[group].steps = steps;
  changed_.notify_all();
}

bool StepGate::MayBegin(int group) const {
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
  std::unique_lock lock(mutex_);
  groups_[group].steps = steps;
  groups_[group].in_step = false;
  changed_.notify_all();
  changed_.wait(lock, [&] { return stopped_ || MayBegin(group); });
  groups_[group].in_step = !stopped_;
  return !stopped_;
}

void StepGate::Leave(int group) {
  const std::lock_guard lock(mutex_);
  groups_[group].in_step = false;
  groups_[group].left = true;
  changed_.notify_all();
}

void StepGate::HoldOthers(int caller) {
  std::unique_lock lock(mutex_);
  held_ = true;
  holder_ = caller;
  changed_.wait(lock, [&] {
    for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
      if (group != caller && groups_[group].in_step) return false;
    return true;
  });
}

void StepGate::Go() {
  const std::lock_guard lock(mutex_);
  held_ = false;
  changed_.notify_all();
}

void StepGate::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool StepGate::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

int64_t StepGate::steps(int group) const {
  const std::lock_guard lock(mutex_);
  return groups_[group].steps;
}

bool StepGate::AwaitOthers(int caller, std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  const auto busy = [&](const Group& group) { return &group != &groups_[caller] && !group.left; };
  return changed_.wait_for(
      lock, time, [&] { return stopped_ || std::none_of(groups_.begin(), groups_.end(), busy); });
}

}  // namespace singa
