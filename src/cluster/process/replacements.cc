#include "cluster/process/replacements.h"

#include <algorithm>

#include "comm/message/control_message.h"

namespace singa {

void Replacements::AskToHold() {
  holds_ = true;
  for (int rank = 1; rank < topology_.processes(); ++rank) asked_.insert(rank);
}

// Returns whether others count on what process `rank` has told. A process that has answered a hold
// cannot be replaced, since others wait until the servers have its steps; nor can one whose group
// has left.
bool Replacements::Owes(int rank) const {
  if (holds_ && asked_.count(rank) == 0) return true;
  for (const RoleId& worker : topology_.Workers(rank)) {
    const auto group = groups_.find(worker.group);
    if (group != groups_.end() && group->second.left) return true;
  }
  return false;
}

std::optional<std::vector<ControlMessage>> Replacements::Greet(int rank) {
  if (!begun_ || !topology_.IsReplaceable(rank)) return {};
  if (ended_) return std::vector{EmptyControl(ControlMessage::kEnd)};
  if (Owes(rank)) return {};
  std::vector<ControlMessage> orders = partition_;
  ControlMessage::TakePlace* const place = orders.emplace_back().mutable_take_place();
  *place->mutable_begin() = start_;
  place->set_hold(holds_);
  if (holds_) orders.push_back(EmptyControl(ControlMessage::kHold));
  for (const RoleId& worker : topology_.Workers(rank)) {
    Group& group = groups_[worker.group];
    group.rows_until = group.last_row;
    group.steps = StepsAtStart(worker.group);
  }
  return orders;
}

int64_t Replacements::StepsAtStart(int group) const {
  return group < start_.group_steps_size() ? start_.group_steps(group) : 0;
}

std::vector<ControlMessage> Replacements::News(int rank) const {
  std::vector<ControlMessage> all;
  for (const auto& [id, group] : groups_) {
    if (topology_.ProcessesOf(id).Has(rank)) continue;
    if (group.steps > 0) all.push_back(StepsOf(id, group.steps));
    if (group.left) all.push_back(LeftBy(id));
  }
  return all;
}

bool Replacements::IsNews(int group, int64_t step) {
  Group& its = groups_[group];
  its.last_row = std::max(its.last_row, step);
  return step > its.rows_until;
}

}  // namespace singa
