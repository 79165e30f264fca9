// What JobProcess does with messages of other processes: which of them count, and for whom.
#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "cluster/process/job_process.h"

namespace singa {
namespace {

JobProcess::Order OrderOf(const WireMessage& head) {
  JobProcess::Order order = {head.control(), head.step(), {}, "", {}};
  if (head.text_size() > 0) order.text = head.text(0);
  for (int i = 1; i < head.text_size(); ++i) order.more.push_back(head.text(i));
  for (const double number : head.number()) order.numbers.push_back(CountOf(number));
  return order;
}

}  // namespace

void JobProcess::OnMessage(int rank, Message message) {
  if (message.head.to().role() == Address::kStub)
    OnControl(rank, std::move(message));
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

// Rank 0 hears answers; the others are told all else, by rank 0 alone, or by the first process of
// their group.
void JobProcess::OnControl(int rank, Message message) {
  const WireMessage& head = message.head;
  if (OnGroup(rank, head)) return;
  if (rank_ == 0 && head.control() == kInterrupt) return asked_();
  const std::lock_guard lock(mutex_);
  if (rank_ == 0 && head.control() == kBegin && replacements_.begun()) {
    for (const WireMessage& news : replacements_.News(rank)) Tell(rank, news);
    return;
  }
  if (head.control() == kCollected && (rank_ == 0 || LeadsProcess(rank)))
    TakeState(rank, message);
  else if (rank_ > 0 && rank == 0)
    orders_.push_back(OrderOf(head));
  else if (rank_ == 0)
    answers_[{head.control(), rank}] = OrderOf(head);
  if (head.control() == kHeld) replacements_.Held(rank);
  changed_.notify_all();
}

// Servers know its groups' steps, and what they have of the next one. Others than rank 0 hear of it
// where the job cannot go on.
bool JobProcess::OnReplaced(int rank) {
  if (rank_ > 0) return topology().IsReplaceable(rank);
  const std::lock_guard lock(mutex_);
  const auto orders = replacements_.Greet(rank);
  if (!orders) return false;
  LOG(INFO) << "another process has taken the place of process " << rank;
  for (const WireMessage& order : *orders) Tell(rank, order);
  for (const RoleId& worker : topology().Workers(rank))
    if (events_) events_->OnReplaced(worker.group, replacements_.StepsAtStart(worker.group));
  return true;
}

void JobProcess::OnAllowed(int rank, const WireMessage& head) {
  const auto group = groups_.find(static_cast<int>(head.group()));
  const std::lock_guard lock(mutex_);
  if (group != groups_.end() && topology().ProcessesOf(group->first).first == rank && events_)
    events_->OnAllowed(group->first, head.step());
}

// What is about a worker group of process `rank`, its first, or, said by rank 0, of another.
bool JobProcess::OnGroup(int rank, const WireMessage& head) {
  const Control what = head.control();
  if (what == kGrant && rank > 0) {
    OnAllowed(rank, head);
    return true;
  }
  if (what != kSteps && what != kLeft && what != kRow) return false;
  const auto group = static_cast<int>(head.group());
  const bool known = head.group() < static_cast<uint32_t>(topology().worker_groups());
  if (!known || groups_.count(group) > 0) return true;
  if (rank != (rank_ == 0 ? topology().ProcessesOf(group).first : 0)) return true;
  if (rank_ == 0 && what != kRow)
    for (int other = 1; other < processes(); ++other)
      if (other != rank) Tell(other, GroupWord(what, group, head.step()));
  const std::lock_guard lock(mutex_);
  if (what == kSteps) replacements_.NoteSteps(group, head.step());
  if (what == kLeft) replacements_.NoteLeft(group);
  if (!events_) return true;
  if (what == kSteps) events_->OnSteps(group, head.step());
  if (what == kLeft) events_->OnLeft(group);
  if (what == kRow && rank_ == 0 && replacements_.IsNews(group, head.step())) events_->OnRow(head);
  return true;
}

}  // namespace singa
