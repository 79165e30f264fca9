#include "driver/job/group_loop.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/thread/stopped.h"
#include "cluster/workers/group_metrics.h"

namespace singa {
std::string GroupLoop::Row::More() const {
  if (!slowest.empty() || stats.staleness.total == 0) return slowest;
  char text[80];
  std::snprintf(text, sizeof text, "staleness %.1f", stats.staleness.mean());
  return text;
}

Schedule ScheduleOf(const JobProto& job, Trainer* lead) {
  return Schedule(job, lead->net().CountRecords(), lead->net().batch());
}

ProcessShare GroupLoop::TakeShare() {
  WorkerTeam& team = groups_.team(group_);
  ProcessShare share;
  share.workers = team.size();
  share.rows = static_cast<double>(team.rows());
  share.step_ms = 1e3 * step_seconds();
  share.data_wait_ms = team.TakeWaitMs() / static_cast<double>(steps_);
  JobProcess* const process = groups_.process();
  if (!process) return share;
  const double waited_ms = team.TakeSyncWaitMs() + process->cluster().updates(group_).TakeWaitMs();
  share.sync_wait_ms = waited_ms / static_cast<double>(steps_ * team.size());
  if (groups_.here().front() != group_) return share;  // bytes are the process's, reported once
  share.bytes_sent = static_cast<double>(process->stub().bytes_sent() - sent_);
  share.bytes_received = static_cast<double>(process->stub().bytes_received() - received_);
  sent_ = process->stub().bytes_sent();
  received_ = process->stub().bytes_received();
  return share;
}

double GroupLoop::samples_per_second() const {
  return static_cast<double>(groups_.team(group_).lead().net().batch()) / step_seconds();
}

// Notes the step only after its row is written.
std::optional<GroupLoop::Row> GroupLoop::TrainStep(int64_t step) {
  const std::optional<Row> row = TakeStep(step);
  groups_.steps().NoteSteps(group_, step + 1);
  return row;
}

// Only rank 0 knows where other processes run, and it shows only group 0.
std::string GroupLoop::SlowestOf(const std::vector<ProcessShare>& shares) {
  const auto slowest = slowest_.Find(shares);
  if (!slowest) return "";
  const int rank = groups_.steps().FirstProcess(group_) + slowest->place;
  const HostAndPid at = groups_.process()->stub().host(rank);
  char longer[32];
  std::snprintf(longer, sizeof longer, "+%.0f %% of a step", 100 * slowest->longer);
  return StrCat("slowest process ", rank, " (", at.host, ", pid ", at.pid, "): ", longer);
}

bool GroupLoop::AwaitRecords(const std::function<bool()>& stop) {
  const auto start = std::chrono::steady_clock::now();
  const bool there = groups_.team(group_).AwaitRecords(stop);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return there;
}

std::optional<GroupLoop::Row> GroupLoop::TakeStep(int64_t step) {
  WorkerTeam& team = groups_.team(group_);
  const auto start = std::chrono::steady_clock::now();
  const bool displays = schedule_.Display(step);
  std::optional<double> grad_norm;
  try {
    team.TrainStep(step);
    if (displays) team.AwaitDevices();
    if (displays && sink_) grad_norm = team.lead().GradientNorm(step);
  } catch (const Stopped&) {  // another worker or process has failed
    if (groups_.process()) groups_.process()->control().AwaitFailure();
    throw;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++steps_;
  if (!displays) return std::nullopt;
  Row row = {team.SumMetrics(), {samples_per_second(), 1e3 * step_seconds()}};
  const std::vector<ProcessShare> shares =
      AddMetricsUp(groups_.process(), group_, &team, &row.sums, TakeShare());
  for (const ProcessShare& share : shares) {
    row.stats.data_wait_ms = std::max(row.stats.data_wait_ms, share.data_wait_ms);
    row.stats.bytes_sent += share.bytes_sent;
  }
  row.stats.lr = schedule_.LearningRateAt(step);
  row.stats.epoch = schedule_.EpochAfter(step);
  row.stats.grad_norm = grad_norm;
  row.stats.staleness = groups_.backend().TakeStaleness(group_);
  if (shares.size() > 1) row.slowest = SlowestOf(shares);
  if (sink_) {
    const ActivityMark::Scope writes(&team.lead().mark(), Activity::kMetrics);
    const RowPlace place = {"train", step, group_, CountBadRecords(&team)};
    WriteRows(place, row.sums, &row.stats, sink_);
    if (JobProcess* const process = groups_.process())
      WriteShares(place, shares, groups_.steps().FirstProcess(group_), process, sink_);
  }
  team.ResetMetrics();
  seconds_ = 0;
  steps_ = 0;
  return row;
}

}  // namespace singa
