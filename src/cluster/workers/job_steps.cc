#include "cluster/workers/job_steps.h"

namespace singa {

JobSteps::JobSteps(const JobProto& job, JobProcess* process, const ProgressDeadline* deadline)
    : process_(process),
      groups_(job.cluster().nworker_groups()),
      together_(StepsTogether(job.cluster())),
      paced_(job.cluster().max_staleness() > 0 || job.warmup_steps() > 0),
      gate_(groups_, together_ ? 0 : job.cluster().max_staleness(), job.warmup_steps(), deadline) {}

std::vector<int64_t> JobSteps::done() const {
  std::vector<int64_t> steps;
  steps.reserve(groups_);
  for (int group = 0; group < groups_; ++group) steps.push_back(gate_.steps(group));
  return steps;
}

int JobSteps::FirstProcess(int group) const {
  return process_ ? process_->part().topology().ProcessesOf(group).first : 0;
}

void JobSteps::Begin(const std::vector<int>& here, int64_t total) {
  total_ = total;
  Grant(gate_.steps(0));
  for (const int group : here) {
    gate_.NoteHere(group);
    if (group > 0 && !Leads(group)) gate_.FollowOtherGate(group);
  }
}

void JobSteps::Grant(int64_t steps) {
  if (together_) gate_.SetLimit(steps);
}

void JobSteps::AllowSteps(int group, int64_t steps) {
  if (process_) process_->peers().AllowSteps(group, steps);
}

void JobSteps::NoteSteps(int group, int64_t steps) {
  gate_.SetSteps(group, steps);
  if (process_ && paced_ && groups_ > 1 && Leads(group)) process_->peers().NoteSteps(group, steps);
}

void JobSteps::Leave(int group) {
  gate_.Leave(group);
  if (process_ && groups_ > 1 && Leads(group)) process_->peers().NoteLeft(group);
}

void JobSteps::OnSteps(int group, int64_t steps) {
  if (steps >= gate_.steps(group) && steps <= total_)
    gate_.SetSteps(group, steps);
  else
    ++refused_;
}

// Only the first process of a group tells its steps.
void JobSteps::OnHeld(int rank, const ControlMessage::Held& held) {
  for (const ControlMessage::GroupSteps& told : held.group()) {
    const bool leads = told.group() > 0 && told.group() < groups_ &&
                       FirstProcess(static_cast<int>(told.group())) == rank;
    if (leads)
      OnSteps(static_cast<int>(told.group()), told.steps());
    else
      ++refused_;
  }
}

void JobSteps::OnAllowed(int group, int64_t steps) {
  if (steps <= total_)
    gate_.AllowSteps(group, steps);
  else
    ++refused_;
}

}  // namespace singa
