#include "cluster/process/group_peers.h"

#include <algorithm>

namespace singa {

GroupPeers::GroupPeers(const JobPart& part, ControlChannel* control, Leader* leader)
    : part_(part), control_(*control), leader_(leader) {}

void GroupPeers::Listen(GroupEvents* events) {
  const MutexLock lock(&mutex_);
  events_ = events;
  if (events_ && control_.failed()) events_->OnFailure();
}

void GroupPeers::NoteSteps(int group, int64_t steps) {
  if (leader_)
    leader_->NoteSteps(group, steps, part_.rank());
  else
    control_.Send(0, StepsOf(group, steps));
}

void GroupPeers::NoteLeft(int group) {
  if (leader_)
    leader_->NoteLeft(group, part_.rank());
  else
    control_.Send(0, LeftBy(group));
}

void GroupPeers::AllowSteps(int group, int64_t steps) {
  ControlMessage grant;
  grant.mutable_group_grant()->set_group(group);
  grant.mutable_group_grant()->set_steps(steps);
  const Range all = part_.topology().ProcessesOf(group);
  for (int rank = all.first + 1; rank < all.last; ++rank) control_.Send(rank, grant);
}

void GroupPeers::SendRow(const ControlMessage::Row& row) {
  ControlMessage control;
  *control.mutable_row() = row;
  control_.Send(0, control);
}

bool GroupPeers::LeadsProcess(int rank) const {
  return std::ranges::any_of(part_.groups(), [&](const auto& group) {
    const Range all = part_.topology().ProcessesOf(group.first);
    return all.first == part_.rank() && all.Has(rank);
  });
}

// Returns whether process `rank` may send news of the group. At rank 0 the group's first process
// may; elsewhere rank 0 may.
bool GroupPeers::MaySpeakOf(int64_t group, int rank) const {
  if (group < 0 || group >= part_.topology().worker_groups()) return false;
  const int id = static_cast<int>(group);
  const int speaker = leader_ ? part_.topology().ProcessesOf(id).first : 0;
  return part_.groups().count(id) == 0 && rank == speaker;
}

void GroupPeers::OnSteps(int rank, const ControlMessage::GroupSteps& news) {
  if (!MaySpeakOf(news.group(), rank)) return;
  const int group = static_cast<int>(news.group());
  if (leader_) leader_->NoteSteps(group, news.steps(), rank);
  const MutexLock lock(&mutex_);
  if (events_) events_->OnSteps(group, news.steps());
}

void GroupPeers::OnLeft(int rank, const ControlMessage::Left& news) {
  if (!MaySpeakOf(news.group(), rank)) return;
  const int group = static_cast<int>(news.group());
  if (leader_) leader_->NoteLeft(group, rank);
  const MutexLock lock(&mutex_);
  if (events_) events_->OnLeft(group);
}

void GroupPeers::OnRow(int rank, const ControlMessage::Row& row) {
  if (!leader_ || !MaySpeakOf(row.group(), rank)) return;
  const MutexLock lock(&mutex_);
  if (events_ && leader_->IsNews(static_cast<int>(row.group()), row.step())) events_->OnRow(row);
}

void GroupPeers::OnGroupGrant(int rank, const ControlMessage::GroupSteps& grant) {
  const auto group = part_.groups().find(static_cast<int>(grant.group()));
  if (rank == 0 || group == part_.groups().end() || group->first != grant.group()) return;
  if (part_.topology().ProcessesOf(group->first).first != rank) return;
  const MutexLock lock(&mutex_);
  if (events_) events_->OnAllowed(group->first, grant.steps());
}

void GroupPeers::OnReplaced(const std::map<int, int64_t>& groups) {
  const MutexLock lock(&mutex_);
  for (const auto& [group, steps] : groups)
    if (events_) events_->OnReplaced(group, steps);
}

void GroupPeers::OnFailure() {
  const MutexLock lock(&mutex_);
  if (events_) events_->OnFailure();
}

}  // namespace singa
