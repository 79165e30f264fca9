// GroupLoop runs the steps of one worker group and makes their rows of metrics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "cluster/workers/worker_groups.h"
#include "driver/job/exchange_advice.h"
#include "driver/job/job_rows.h"
#include "driver/job/schedule.h"
#include "driver/job/step_recorder.h"

namespace singa {

// Returns the schedule of the job of `lead`, with the steps of an epoch that its replica knows, if
// it does. `steps`: as in Schedule. Throws ConfigError relative to the JobProto.
Schedule ScheduleOf(const JobProto& job, Trainer* lead, std::optional<int64_t> steps = {});

// Returns whether a signal can end a step of the job between its batches. Workers of several groups
// or processes would have to agree on the batch, so they complete the step.
bool MayAbandonSteps(WorkerGroups* groups);

class GroupLoop {
 public:
  // All arguments must outlive it. `sink` is null if another process writes the group's rows.
  // `predicted_ms`: of a step, for its rows; not set: nothing was predicted. `recorder`: trains the
  // steps; null: the team does.
  GroupLoop(WorkerGroups* groups, int group, const Schedule& schedule, MetricsSink* sink,
            std::optional<double> predicted_ms = {}, StepRecorder* recorder = nullptr)
      : groups_(*groups),
        group_(group),
        schedule_(schedule),
        sink_(sink),
        predicted_ms_(predicted_ms),
        recorder_(recorder),
        may_abandon_(MayAbandonSteps(groups)),
        exchange_(ExchangeOf(groups)) {
    if (sink_ && schedule.displays() && groups->whole_exchange().ms > 0)
      releases_ = groups->BeginReleases();
  }

  // Waits for the records of the next step (nn/input/await_records.h).
  bool AwaitRecords(const std::function<bool()>& stop);
  // Trains `step`, and writes rows if some are due after it. Returns whether they were due. Calls
  // `stop` between the batches of the step if MayAbandonSteps; it may be empty.
  bool TrainStep(int64_t step, const std::function<bool()>& stop = {});
  // Returns whether the last step was abandoned, as `stop` asked: all is as before the step.
  bool abandoned() const { return abandoned_; }
  // Means over the steps since the last row.
  double step_seconds() const { return seconds_ / static_cast<double>(steps_); }
  double samples_per_second() const;
  // Returns, once, what is to be said about the exchange of gradients, if anything is.
  std::optional<std::string> TakeAdvice() { return std::exchange(advice_, {}); }

 private:
  static ExchangeAdvice::Facts ExchangeOf(WorkerGroups* groups);
  void Advise(const std::vector<ProcessShare>& shares);
  void ComputeStep(int64_t step, const std::function<bool()>& stop);
  void WriteRows(int64_t step);
  // Returns this process's share of the steps since the last row; `sync`: of the group since then.
  ProcessShare TakeShare(const SyncStats& sync);
  void AddMemory(ProcessShare* share);

  WorkerGroups& groups_;
  const int group_;
  const Schedule& schedule_;
  MetricsSink* const sink_;
  const std::optional<double> predicted_ms_;
  StepRecorder* const recorder_;
  const bool may_abandon_;
  bool abandoned_ = false;
  double seconds_ = 0;  // time since the last row
  double writing_ = 0;  // of them, for the last row, which waits for the other processes
  int64_t steps_ = 0;
  int64_t sent_ = 0, received_ = 0;        // bytes up to the last row
  double memory_mb_ = 0, memory_age_ = 0;  // of the process, and seconds since it was measured
  ExchangeAdvice exchange_;
  GradientReleases* releases_ = nullptr;  // null: no advice is due
  std::optional<std::string> advice_;
  std::optional<double> grad_norm_;  // of the last step for which rows are due
};

}  // namespace singa
