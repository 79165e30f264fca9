#include "cluster/process/replacements.h"

#include <algorithm>
#include <utility>

#include "comm/message/message.h"

namespace singa {

void Replacements::SetStart(const std::vector<int64_t>& steps, const std::string& checkpoint,
                            const std::vector<std::string>& more) {
  start_.clear_number();
  start_.mutable_number()->Add(steps.begin(), steps.end());
  start_.clear_text();
  if (!checkpoint.empty() || !more.empty()) start_.add_text(checkpoint);
  for (const std::string& one : more) start_.add_text(one);
}

void Replacements::AskToHold() {
  holds_ = true;
  for (int rank = 1; rank < topology_.processes(); ++rank) asked_.insert(rank);
}

// Who has said which steps its groups have done, or that they have done all, is waited for by them:
// servers are expected to get so many.
bool Replacements::Owes(int rank) const {
  if (holds_ && asked_.count(rank) == 0) return true;
  for (const RoleId& worker : topology_.Workers(rank)) {
    const auto group = groups_.find(worker.group);
    if (group != groups_.end() && group->second.left) return true;
  }
  return false;
}

std::optional<std::vector<WireMessage>> Replacements::Greet(int rank) {
  if (!begun_ || !topology_.IsReplaceable(rank)) return {};
  std::vector<WireMessage> orders(1);
  orders[0].set_control(kEnd);
  if (ended_) return orders;
  if (Owes(rank)) return {};
  orders[0] = start_;
  orders[0].set_control(kTakePlace);
  orders[0].set_step(holds_);
  if (holds_) orders.emplace_back().set_control(kHold);
  for (const RoleId& worker : topology_.Workers(rank)) {
    Group& group = groups_[worker.group];
    group.rows_until = group.last_row;
    group.steps = StepsAtStart(worker.group);
  }
  return orders;
}

int64_t Replacements::StepsAtStart(int group) const {
  return group < start_.number_size() ? CountOf(start_.number(group)) : 0;
}

std::vector<WireMessage> Replacements::News(int rank) const {
  std::vector<WireMessage> all;
  for (const auto& [id, group] : groups_) {
    if (topology_.ProcessesOf(id).Has(rank)) continue;
    for (const auto& [what, is_known] :
         {std::pair(kSteps, group.steps > 0), std::pair(kLeft, group.left)}) {
      if (!is_known) continue;
      WireMessage& head = all.emplace_back();
      head.set_control(what);
      head.set_group(id);
      head.set_step(group.steps);
    }
  }
  return all;
}

bool Replacements::IsNews(int group, int64_t step) {
  Group& its = groups_[group];
  its.last_row = std::max(its.last_row, step);
  return step > its.rows_until;
}

}  // namespace singa
