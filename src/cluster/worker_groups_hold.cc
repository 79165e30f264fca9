// Worker groups stand still, and what was trained comes together.
#include "cluster/worker_groups.h"
#include "singa/base/error.h"
#include "train/worker_rows.h"

namespace singa {

// A group of several processes is the only one: they stand still where rank 0 grants no step.
void WorkerGroups::HoldOthers() {
  if (holds_++ > 0) return;
  gate_.HoldOthers(0);
  if (!process_ || size() == 1) return;
  int rank = 0;
  for (const JobProcess::Order& held : process_->HoldAll()) {
    ++rank;
    for (size_t i = 0; i + 1 < held.numbers.size(); i += 2)
      OnHeld(rank, held.numbers[i], held.numbers[i + 1]);
    refused_ += static_cast<int64_t>(held.numbers.size() % 2);
  }
  if (held_) held_();
}

// What process `rank` says of one of its groups. Those of its own, 0 among them, a process knows.
void WorkerGroups::OnHeld(int rank, int64_t group, int64_t steps) {
  if (group == 0) return;
  const bool its = group > 0 && group < size() &&
                   process_->topology().ProcessesOf(static_cast<int>(group)).Has(rank);
  if (its)
    OnSteps(static_cast<int>(group), steps);
  else
    ++refused_;
}

// Of another process, which may say anything.
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
  if (process_ && size() > 1) process_->GoAll();
}

void WorkerGroups::Collect(int64_t steps) {
  if (!served_ || collected_) return;
  gate_.SetSteps(0, steps);
  const std::vector<int64_t> versions = served_->VersionsAt(this->steps());
  for (int round = 0; versions.size() > 1 && round < 2; ++round) {
    if (process_) process_->TellAll(kExchange, 0, versions);
    served_->Exchange(versions);
    if (process_) process_->AwaitAll(kExchanged);
  }
  served_->Collect(&replica_, versions);
  collected_ = true;
}

std::vector<ProcessState> WorkerGroups::CollectStates() {
  std::vector<ProcessState> all;
  if (!process_) return all;
  for (const std::string& text : process_->CollectStates()) {
    if (!all.emplace_back().ParseFromString(text))
      throw PeerError("what a process gave for a checkpoint cannot be read");
    if (all.back().has_rows()) AddMetrics(all.back().rows(), &team(0).metrics());
  }
  return all;
}

}  // namespace singa
