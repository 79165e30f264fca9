#include "driver/bench/process_shares.h"

#include <utility>

#include "cluster/workers/group_metrics.h"

namespace singa {

ProcessShare ProcessShares::TakeOwn(int64_t steps) {
  WorkerTeam& team = groups_.team(0);
  const double worker_steps = static_cast<double>(team.size() * steps);
  ProcessShare share;
  share.workers = team.size();
  const Clock::time_point now = Clock::now();
  share.step_ms = std::chrono::duration<double, std::milli>(now - last_row_).count() /
                  static_cast<double>(steps);
  const SyncStats sync = groups_.backend().TakeStats(0);
  share.sync_wait_ms = (team.metrics().TakeSyncWaitMs() + sync.wait_ms) / worker_steps;
  share.coding_ms = sync.coding_ms / worker_steps;
  share.work_ms = sync.work_ms / static_cast<double>(steps);
  JobProcess* const process = groups_.process();
  const int64_t sent = process ? process->stub().bytes_sent() + sync.bytes_sent : 0;
  share.bytes_sent = static_cast<double>(sent - std::exchange(sent_, sent));
  last_row_ = now;
  return share;
}

// Processes tell means of a step for all but bytes (GroupLoop::TakeShare).
void ProcessShares::Add(int64_t step) {
  if (!schedule_.Display(step)) return;
  const int64_t steps = step - last_step_;
  const bool counts = last_step_ >= 0;
  last_step_ = step;
  WorkerTeam& team = groups_.team(0);
  MetricSums metrics = team.metrics().Sum();
  std::vector<ProcessShare> shares =
      AddMetricsUp(groups_.process(), 0, &team, &metrics, TakeOwn(steps));
  team.metrics().Reset();
  if (!counts) return;
  sums_.resize(shares.size());
  steps_ += steps;
  for (size_t i = 0; i < shares.size(); ++i) {
    ProcessShare &share = shares[i], &sum = sums_[i];
    sum.workers = share.workers;
    sum.bytes_sent += share.bytes_sent;
    for (double ProcessShare::*part :
         {&ProcessShare::step_ms, &ProcessShare::sync_wait_ms, &ProcessShare::coding_ms})
      sum.*part += share.*part * static_cast<double>(steps);
  }
}

std::vector<ProcessShare> ProcessShares::Means() const {
  std::vector<ProcessShare> means = sums_;
  for (ProcessShare& mean : means)
    for (double ProcessShare::*part : {&ProcessShare::step_ms, &ProcessShare::sync_wait_ms,
                                       &ProcessShare::coding_ms, &ProcessShare::bytes_sent})
      mean.*part /= static_cast<double>(steps_);
  return means;
}

}  // namespace singa
