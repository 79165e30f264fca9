// GroupLoop: the steps of one worker group, and their rows of metrics.
#pragma once

#include <functional>
#include <optional>

#include "cluster/workers/worker_groups.h"
#include "driver/job/job_rows.h"
#include "driver/job/schedule.h"
#include "driver/job/slowest_process.h"

namespace singa {

// What is due when in the job of `lead`. Throws ConfigError relative to the JobProto.
Schedule ScheduleOf(const JobProto& job, Trainer* lead);

class GroupLoop {
 public:
  struct Row {
    MetricSums sums;
    StepStats stats;
    std::string slowest = "";  // the process that the others wait for, for people; "": none

    // What the line of a row says of other processes and groups.
    std::string More() const;
  };

  // All of them outlive it. `sink`: null where another process writes rows of the group.
  GroupLoop(WorkerGroups* groups, int group, const Schedule& schedule, MetricsSink* sink)
      : groups_(*groups), group_(group), schedule_(schedule), sink_(sink) {}

  // Waits for the records of the next step (nn/input/await_records.h).
  bool AwaitRecords(const std::function<bool()>& stop);
  // Trains `step`. The row that is due after it, which is written; nothing: none is.
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
  double seconds_ = 0;  // since the last row
  int64_t steps_ = 0;
  int64_t sent_ = 0, received_ = 0;  // bytes, until the last row
  SlowestProcess slowest_;
};

}  // namespace singa
