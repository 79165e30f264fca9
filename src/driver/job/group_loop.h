// GroupLoop runs the steps of one worker group and makes their rows of metrics.
#pragma once

#include <functional>
#include <optional>

#include "cluster/workers/worker_groups.h"
#include "driver/job/job_rows.h"
#include "driver/job/schedule.h"
#include "driver/job/slowest_process.h"

namespace singa {

// Returns the schedule of the job of `lead`. Throws ConfigError relative to the JobProto.
Schedule ScheduleOf(const JobProto& job, Trainer* lead);

class GroupLoop {
 public:
  struct Row {
    MetricSums sums;
    StepStats stats;
    std::string slowest = "";  // text about the process that the others wait for; "": none

    // Returns the part of the row's line about other processes and groups.
    std::string More() const;
  };

  // All arguments must outlive it. `sink` is null if another process writes the group's rows.
  GroupLoop(WorkerGroups* groups, int group, const Schedule& schedule, MetricsSink* sink)
      : groups_(*groups), group_(group), schedule_(schedule), sink_(sink) {}

  // Waits for the records of the next step (nn/input/await_records.h).
  bool AwaitRecords(const std::function<bool()>& stop);
  // Trains `step`. If a row is due after it, writes and returns it; else returns nullopt.
  std::optional<Row> TrainStep(int64_t step);
  // Means over the steps since the last row.
  double step_seconds() const { return seconds_ / static_cast<double>(steps_); }
  double samples_per_second() const;

 private:
  std::optional<Row> TakeStep(int64_t step);
  ProcessShare TakeShare();
  std::string SlowestOf(const std::vector<ProcessShare>& shares);

  WorkerGroups& groups_;
  const int group_;
  const Schedule& schedule_;
  MetricsSink* const sink_;
  double seconds_ = 0;  // time since the last row
  int64_t steps_ = 0;
  int64_t sent_ = 0, received_ = 0;  // bytes up to the last row
  SlowestProcess slowest_;
};

}  // namespace singa
