// What JobProcess does with messages of other processes: which of them count, and for whom.
#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "cluster/process/job_process.h"

namespace singa {

void JobProcess::OnMessage(int rank, Message message) {
  if (message.head.to().role() == Address::kStub)
    OnControl(rank, message);
  else
    cluster_->OnMessage(rank, std::move(message));
}

// Of a worker group that this process is the first of.
bool JobProcess::LeadsProcess(int rank) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& group) {
    const Range all = topology().ProcessesOf(group.first);
    return all.first == rank_ && all.Has(rank);
  });
}

// A message that does not fit is dropped.
void JobProcess::OnControl(int rank, const Message& message) {
  const ControlMessage& control = message.head.control();
  switch (control.kind_case()) {
    case ControlMessage::kGpuGroup:
    case ControlMessage::kGpuVerdict:
    case ControlMessage::kMemory:
    case ControlMessage::kBegin:
    case ControlMessage::kAllReady:
    case ControlMessage::kGrant:
    case ControlMessage::kHold:
    case ControlMessage::kGo:
    case ControlMessage::kExchange:
    case ControlMessage::kCheckpointRequest:
    case ControlMessage::kEnd:
    case ControlMessage::kTakePlace:
      return OnOrder(rank, control);
    case ControlMessage::kGpus:
    case ControlMessage::kReady:
    case ControlMessage::kFilled:
    case ControlMessage::kHeld:
    case ControlMessage::kExchanged:
      return OnAnswer(rank, control);
    case ControlMessage::kState:
      return OnState(rank, message);
    case ControlMessage::kListens:
      return OnListens(rank);
    case ControlMessage::kInterrupt:
      if (rank_ == 0) asked_();
      return;
    case ControlMessage::kSteps:
      return OnSteps(rank, control.steps());
    case ControlMessage::kLeft:
      return OnLeft(rank, control.left());
    case ControlMessage::kRow:
      return OnRow(rank, control.row());
    case ControlMessage::kGroupGrant:
      return OnGroupGrant(rank, control.group_grant());
    case ControlMessage::kBeat:
    case ControlMessage::kStop:  // the stub heeds both
    case ControlMessage::KIND_NOT_SET:
      return;
  }
}

void JobProcess::OnOrder(int rank, const ControlMessage& order) {
  if (rank_ == 0 || rank > 0) return;
  const std::lock_guard lock(mutex_);
  orders_.push_back(order);
  changed_.notify_all();
}

void JobProcess::OnAnswer(int rank, const ControlMessage& answer) {
  if (rank_ > 0) return;
  const std::lock_guard lock(mutex_);
  if (answer.has_held()) replacements_.Held(rank);
  answers_[{answer.kind_case(), rank}] = answer;
  changed_.notify_all();
}

void JobProcess::OnListens(int rank) {
  if (rank_ > 0) return;
  const std::lock_guard lock(mutex_);
  if (!replacements_.begun()) return;
  for (const ControlMessage& news : replacements_.News(rank)) Tell(rank, news);
}

// Servers know its groups' steps, and what they have of the next one. Others than rank 0 hear of it
// where the job cannot go on.
bool JobProcess::OnReplaced(int rank) {
  if (rank_ > 0) return topology().IsReplaceable(rank);
  const std::lock_guard lock(mutex_);
  const auto orders = replacements_.Greet(rank);
  if (!orders) return false;
  LOG(INFO) << "another process has taken the place of process " << rank;
  for (const ControlMessage& order : *orders) Tell(rank, order);
  for (const RoleId& worker : topology().Workers(rank))
    if (events_) events_->OnReplaced(worker.group, replacements_.StepsAtStart(worker.group));
  return true;
}

void JobProcess::OnGroupGrant(int rank, const ControlMessage::GroupSteps& grant) {
  const auto group = groups_.find(static_cast<int>(grant.group()));
  if (rank == 0 || group == groups_.end() || group->first != grant.group()) return;
  const std::lock_guard lock(mutex_);
  if (topology().ProcessesOf(group->first).first == rank && events_)
    events_->OnAllowed(group->first, grant.steps());
}

// News of a worker group of another process come from its first process to rank 0, and from rank 0
// to the others.
bool JobProcess::MaySpeakOf(int64_t group, int rank) const {
  if (group < 0 || group >= topology().worker_groups()) return false;
  const int id = static_cast<int>(group);
  return groups_.count(id) == 0 && rank == (rank_ == 0 ? topology().ProcessesOf(id).first : 0);
}

void JobProcess::OnSteps(int rank, const ControlMessage::GroupSteps& news) {
  if (!MaySpeakOf(news.group(), rank)) return;
  const int group = static_cast<int>(news.group());
  const std::lock_guard lock(mutex_);
  if (rank_ == 0) PassOn(rank, StepsOf(group, news.steps()));
  replacements_.NoteSteps(group, news.steps());
  if (events_) events_->OnSteps(group, news.steps());
}

void JobProcess::OnLeft(int rank, const ControlMessage::Left& news) {
  if (!MaySpeakOf(news.group(), rank)) return;
  const int group = static_cast<int>(news.group());
  const std::lock_guard lock(mutex_);
  if (rank_ == 0) PassOn(rank, LeftBy(group));
  replacements_.NoteLeft(group);
  if (events_) events_->OnLeft(group);
}

void JobProcess::OnRow(int rank, const ControlMessage::Row& row) {
  if (rank_ > 0 || !MaySpeakOf(row.group(), rank)) return;
  const std::lock_guard lock(mutex_);
  if (events_ && replacements_.IsNews(static_cast<int>(row.group()), row.step()))
    events_->OnRow(row);
}

}  // namespace singa
