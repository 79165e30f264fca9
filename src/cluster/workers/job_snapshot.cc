#include "cluster/workers/job_snapshot.h"

#include <algorithm>
#include <string>

#include "singa/base/error.h"

namespace singa {
namespace {

std::vector<ProcessState> StatesOf(const std::vector<std::string>& texts) {
  std::vector<ProcessState> all;
  for (const std::string& text : texts)
    if (!all.emplace_back().ParseFromString(text))
      throw PeerError("the state that a process sent for a checkpoint is not valid");
  return all;
}

}  // namespace

bool JobSnapshot::HoldsProcesses() const { return groups_.process() && groups_.size() > 1; }

// Other processes of the first group stand still while rank 0 allows no step, and those of another
// group while its first process begins none.
void JobSnapshot::HoldOthers() {
  if (holds_++ > 0) return;
  groups_.steps().gate().HoldOthers(0);
  if (!HoldsProcesses()) return;
  int rank = 0;
  for (const ControlMessage& answer : groups_.process()->leader()->HoldAll())
    groups_.steps().OnHeld(++rank, answer.held());
  held_();
}

void JobSnapshot::Go() {
  if (--holds_ > 0) return;
  collected_ = false;
  groups_.steps().gate().Go();
  if (HoldsProcesses()) groups_.process()->leader()->GoAll();
}

void JobSnapshot::Collect(int64_t steps) {
  if (collected_) return;
  groups_.steps().gate().SetSteps(0, steps);
  const std::vector<SliceState> model =
      groups_.backend().model_state().Gather(groups_.steps().done());
  collected_ = true;
  if (model.empty()) return;
  if (own_values_.empty() && groups_.size() > 1) KeepOwnValues();
  for (size_t s = 0; s < model.size(); ++s)
    groups_.lead().replica().SetFloats(static_cast<int>(s), model[s].count, model[s].floats);
}

void JobSnapshot::KeepOwnValues() {
  const TrainedParams& trained = groups_.lead().model().trained();
  const std::vector<float*> values = trained.Values();
  for (size_t i = 0; i < values.size(); ++i)
    own_values_.emplace_back(values[i], values[i] + trained.params[i]->size());
}

void JobSnapshot::BringOwnValuesBack() {
  groups_.backend().model_state().BringOwnBack();
  if (own_values_.empty()) return;  // the case before most steps
  const std::vector<float*> values = groups_.lead().model().trained().Values();
  for (size_t i = 0; i < own_values_.size(); ++i) std::ranges::copy(own_values_[i], values[i]);
  own_values_.clear();
}

std::vector<ProcessState> JobSnapshot::CollectStates() {
  if (!groups_.process()) return {};
  return StatesOf(groups_.process()->leader()->CollectStates(groups_.steps().done()));
}

std::vector<ProcessState> AwaitStates(JobProcess* process, int group) {
  return StatesOf(process->follower()->AwaitStates(group));
}

}  // namespace singa
