#include "driver/bench/follower_trace.h"

#include "driver/bench/rank_trace.h"

namespace singa {

void FollowerTrace::Begin(WorkerTeam* team) {
  team_ = team;
  recorder_.emplace(team, &clock_, &slices_);
}

void FollowerTrace::Step(int64_t step) {
  recorder_->Step(step);
  if (recorder_->figures()) traces_.Add(recorder_->trace());
}

std::string FollowerTrace::Record(int64_t step) {
  const StepTrace* const found = traces_.Find(step);
  if (!found) return "";
  StepTrace trace = *found;
  AddNames(team_->lead().model(), &trace);
  return ToText(RankTraceOf(trace));
}

}  // namespace singa
