#include "cluster/successors.h"

#include <algorithm>

namespace singa {

void Successors::SetStart(const std::vector<int64_t>& steps, const std::string& checkpoint) {
  start_.clear_number();
  start_.mutable_number()->Add(steps.begin(), steps.end());
  start_.clear_text();
  if (!checkpoint.empty()) start_.add_text(checkpoint);
}

void Successors::AskToHold() {
  holds_ = true;
  for (int rank = 1; rank < topology_.processes(); ++rank) asked_.insert(rank);
}

// Who has said which steps its groups have done is waited for by them: those who hold expect that
// the servers get so many.
std::optional<std::vector<WireMessage>> Successors::Greet(int rank) {
  const bool held = holds_ && asked_.count(rank) == 0;
  if (!begun_ || held || !topology_.IsReplaceable(rank)) return {};
  WireMessage head = start_;
  head.set_control(kTakePlace);
  head.set_step(holds_);
  std::vector<WireMessage> orders = {head};
  for (const auto& [control, due] : {std::pair(kHold, holds_), std::pair(kEnd, ended_)}) {
    if (!due) continue;
    orders.emplace_back().set_control(control);
  }
  for (const RoleId& worker : topology_.Workers(rank)) {
    Group& group = groups_[worker.group];
    group.rows_until = group.last_row;
  }
  return orders;
}

std::vector<WireMessage> Successors::News(int rank) const {
  std::vector<WireMessage> all;
  for (const auto& [id, group] : groups_) {
    if (topology_.ProcessesOf(id).Has(rank)) continue;
    for (const Control what : {kSteps, kLeft}) {
      if (what == kLeft && !group.left) continue;
      WireMessage& head = all.emplace_back();
      head.set_control(what);
      head.set_group(id);
      head.set_step(group.steps);
    }
  }
  return all;
}

bool Successors::IsNews(int group, int64_t step) {
  Group& its = groups_[group];
  its.last_row = std::max(its.last_row, step);
  return step > its.rows_until;
}

}  // namespace singa
