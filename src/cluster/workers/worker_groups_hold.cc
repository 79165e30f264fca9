// WorkerGroups holds the groups and collects their values.
#include <algorithm>

#include "cluster/workers/worker_groups.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::vector<ProcessState> StatesOf(const std::vector<std::string>& texts) {
  std::vector<ProcessState> all;
  for (const std::string& text : texts)
    if (!all.emplace_back().ParseFromString(text))
      throw PeerError("what a process gave for a checkpoint cannot be read");
  return all;
}

}  // namespace

// Other processes of the first group stand still while rank 0 allows no step, and those of another
// group while its first process begins none.
void WorkerGroups::HoldOthers() {
  if (holds_++ > 0) return;
  gate_.HoldOthers(0);
  if (!process_ || size() == 1) return;
  int rank = 0;
  for (const ControlMessage& answer : process_->leader()->HoldAll()) {
    ++rank;
    for (const ControlMessage::GroupSteps& group : answer.held().group())
      OnHeld(rank, group.group(), group.steps());
  }
  if (held_) held_();
}

// Takes the steps that process `rank` tells of a group that it leads.
void WorkerGroups::OnHeld(int rank, int64_t group, int64_t steps) {
  if (group > 0 && group < size() && FirstProcess(static_cast<int>(group)) == rank)
    OnSteps(static_cast<int>(group), steps);
  else
    ++refused_;
}

// Takes steps from another process, which is not trusted: impossible ones are refused.
void WorkerGroups::OnSteps(int group, int64_t steps) {
  if (steps >= gate_.steps(group) && steps <= most_steps_)
    gate_.SetSteps(group, steps);
  else
    ++refused_;
}

void WorkerGroups::Go() {
  if (--holds_ > 0) return;
  collected_ = false;
  gate_.Go();
  if (process_ && size() > 1) process_->leader()->GoAll();
}

void WorkerGroups::Collect(int64_t steps) {
  if (!served_ || collected_) return;
  gate_.SetSteps(0, steps);
  const std::vector<int64_t> versions = served_->VersionsAt(this->steps());
  ControlMessage exchange;
  exchange.mutable_exchange()->mutable_versions()->Add(versions.begin(), versions.end());
  for (int round = 0; versions.size() > 1 && round < 2; ++round) {
    if (process_) process_->leader()->TellAll(exchange);
    served_->Exchange(versions);
    if (process_) process_->leader()->AwaitAll(ControlMessage::kExchanged);
  }
  const std::vector<SliceState> model = served_->Gather(versions);
  if (own_values_.empty() && size() > 1) KeepOwnValues();
  for (size_t s = 0; s < model.size(); ++s)
    replica_.SetFloats(static_cast<int>(s), model[s].count, model[s].floats);
  collected_ = true;
}

void WorkerGroups::KeepOwnValues() {
  const std::vector<float*> values = lead().TrainedValues();
  for (size_t i = 0; i < values.size(); ++i)
    own_values_.emplace_back(values[i], values[i] + lead().trained()[i]->size());
}

void WorkerGroups::BringOwnValuesBack() {
  if (own_values_.empty()) return;  // the case before most steps
  const std::vector<float*> values = lead().TrainedValues();
  for (size_t i = 0; i < own_values_.size(); ++i) std::ranges::copy(own_values_[i], values[i]);
  own_values_.clear();
}

std::vector<ProcessState> WorkerGroups::CollectStates() {
  if (!process_) return {};
  return StatesOf(process_->leader()->CollectStates(steps()));
}

std::vector<ProcessState> WorkerGroups::AwaitStates(int group) {
  return StatesOf(process_->follower()->AwaitStates(group));
}

}  // namespace singa
