#include "driver/job/group_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/system/process_memory.h"
#include "base/thread/stopped.h"
#include "cluster/workers/group_metrics.h"
#include "driver/plan/gradient_modes.h"

namespace singa {

Schedule ScheduleOf(const JobProto& job, Trainer* lead, std::optional<int64_t> steps) {
  return Schedule(job, lead->model().readers().CountRecords(), lead->model().samples_per_step(),
                  steps, lead->replica().rule().epoch_steps());
}

bool MayAbandonSteps(WorkerGroups* groups) {
  return !groups->process() && groups->size() == 1 && groups->team(0).may_abandon();
}

ExchangeAdvice::Facts GroupLoop::ExchangeOf(WorkerGroups* groups) {
  const WorkerModel& model = groups->lead().model();
  const auto compression = model.job().cluster().all_reduce().compression();
  const int processes = groups->process() ? groups->process()->part().processes() : 1;
  // All but a slice's owner send its gradient, and get its sum.
  const double bytes =
      2.0 * (processes - 1) * sizeof(float) * static_cast<double>(model.trained().table.elements());
  return {.mode = AllReduceProto::Compression_Name(compression),
          .last_messages = CountLastMessages(compression),
          .whole = groups->whole_exchange(),
          .whole_bytes = bytes};
}

void GroupLoop::Advise(const std::vector<ProcessShare>& shares) {
  if (!releases_) return;
  advice_ = exchange_.Add(shares, static_cast<double>(steps_), *releases_);
  if (!exchange_.done()) return;
  releases_ = nullptr;
  groups_.EndReleases();
}

// Only groups of several workers have predictions to compare. With GPUs, the host's memory is
// mostly that of CUDA. A measurement takes some ms for each GB, so rows of one second share one.
void GroupLoop::AddMemory(ProcessShare* share) {
  const WorkerModel& model = groups_.team(group_).lead().model();
  if (model.place().workers == 1 || model.job().gpu_size() > 0) return;
  memory_age_ += seconds_;
  if (memory_mb_ == 0 || memory_age_ > 1) {
    memory_mb_ = 1e-6 * static_cast<double>(ProcessMemory().value_or(0));
    memory_age_ = 0;
  }
  share->memory_mb = memory_mb_;
  share->predicted_memory_mb = 1e-6 * static_cast<double>(groups_.memory().host.total());
}

ProcessShare GroupLoop::TakeShare(const SyncStats& sync) {
  WorkerTeam& team = groups_.team(group_);
  ProcessShare share;
  share.workers = team.size();
  share.rows = static_cast<double>(team.rows());
  share.step_ms = 1e3 * step_seconds();
  share.data_wait_ms = team.metrics().TakeDataWaitMs() / static_cast<double>(steps_);
  AddMemory(&share);
  JobProcess* const process = groups_.process();
  if (!process) return share;
  const double waited_ms = team.metrics().TakeSyncWaitMs() + sync.wait_ms;
  share.sync_wait_ms = (waited_ms / team.size() + 1e3 * writing_) / static_cast<double>(steps_);
  share.coding_ms = sync.coding_ms / static_cast<double>(team.size() * steps_);
  share.work_ms = sync.work_ms / static_cast<double>(steps_);
  if (groups_.here().front() != group_) return share;  // bytes are the process's, reported once
  const int64_t sent = process->stub().bytes_sent() + sync.bytes_sent;
  const int64_t received = process->stub().bytes_received() + sync.bytes_received;
  share.bytes_sent = static_cast<double>(sent - std::exchange(sent_, sent));
  share.bytes_received = static_cast<double>(received - std::exchange(received_, received));
  return share;
}

double GroupLoop::samples_per_second() const {
  return static_cast<double>(groups_.team(group_).lead().model().samples_per_step()) /
         step_seconds();
}

// Notes the step only after its rows are written. The next row counts the time of writing, in which
// workers wait for each other and values may still be on their way.
bool GroupLoop::TrainStep(int64_t step, const std::function<bool()>& stop) {
  ComputeStep(step, stop);
  if (abandoned_) return false;
  const bool due = schedule_.Display(step);
  if (due) {
    const auto start = std::chrono::steady_clock::now();
    WriteRows(step);
    writing_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    seconds_ = writing_;
  }
  groups_.steps().NoteSteps(group_, step + 1);
  return due;
}

bool GroupLoop::AwaitRecords(const std::function<bool()>& stop) {
  const auto start = std::chrono::steady_clock::now();
  const bool there = groups_.team(group_).AwaitRecords(stop);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return there;
}

void GroupLoop::ComputeStep(int64_t step, const std::function<bool()>& stop) {
  WorkerTeam& team = groups_.team(group_);
  const auto start = std::chrono::steady_clock::now();
  const bool due = schedule_.Display(step);
  try {
    if (recorder_)
      recorder_->Step(step);
    else
      abandoned_ = !team.TrainStep(step, may_abandon_ ? stop : std::function<bool()>());
    if (abandoned_) return;
    if (releases_) releases_->EndStep();
    if (due) team.AwaitDevices();
    if (due && sink_) grad_norm_ = team.lead().GradientNorm(step);
  } catch (const Stopped&) {  // another worker or process has failed
    if (groups_.process()) groups_.process()->control().AwaitFailure();
    throw;
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++steps_;
}

// All processes of the group take part in the sums, whoever writes the rows.
void GroupLoop::WriteRows(int64_t step) {
  WorkerTeam& team = groups_.team(group_);
  MetricSums sums = team.metrics().Sum();
  const SyncStats sync = groups_.backend().TakeStats(group_);
  StepStats stats = {samples_per_second(), 1e3 * step_seconds()};
  const std::vector<ProcessShare> shares =
      AddMetricsUp(groups_.process(), group_, &team, &sums, TakeShare(sync));
  Advise(shares);
  for (const ProcessShare& share : shares) {
    stats.data_wait_ms = std::max(stats.data_wait_ms, share.data_wait_ms);
    stats.bytes_sent += share.bytes_sent;
    stats.memory_mb += share.memory_mb;
    stats.predicted_memory_mb += share.predicted_memory_mb;
  }
  stats.lr = schedule_.LearningRateAt(step);
  stats.epoch = schedule_.EpochAfter(step);
  stats.predicted_step_ms = predicted_ms_;
  stats.grad_norm = grad_norm_;
  stats.staleness = sync.staleness;
  if (sink_) {
    const ActivityMark::Scope writes(&team.lead().model().mark(), Activity::kMetrics);
    const RowHead head = {"train", step, group_, CountBadRecords(&team)};
    MetricsRows rows = LayerRows(head, sums, &stats);
    if (JobProcess* const process = groups_.process())
      for (MetricsRow& row :
           ProcessRows(head, shares, groups_.steps().FirstProcess(group_), process))
        rows.push_back(std::move(row));
    sink_->Write(rows);
  }
  team.metrics().Reset();
  steps_ = 0;
}

}  // namespace singa
