// JobSinks passes the rows of a training job to the screen and the workspace: to metrics.jsonl and,
// if the job says so, to a file for TensorBoard, which also gets the net and histograms of params.
#pragma once

#include <cstdint>
#include <optional>

#include "cluster/workers/job_snapshot.h"
#include "driver/job/screen_rows.h"
#include "driver/workspace/workspace.h"
#include "io/metrics/events_file.h"
#include "io/metrics/metrics_sinks.h"

namespace singa {

class JobSinks final : public MetricsSink {
 public:
  // Opens the files, from which it removes rows of steps that the groups will do again. `steps`: of
  // the whole training. All arguments must outlive it. Throws FileError.
  JobSinks(const Workspace& workspace, int64_t steps, WorkerGroups* groups, JobSnapshot* snapshot,
           Progress* progress);

  void Write(const MetricsRows& rows) override;
  void Sync() override;
  void RequireRoom() override;

  // Writes histograms of the values that group 0 has after `updates` updates, and of its last
  // gradients where they are on the host: in a group of one worker without a GPU. They carry the
  // index of the last step. Groups begin no step meanwhile.
  void WriteHistograms(int64_t updates);

 private:
  void WriteParams(int64_t step);

  WorkerGroups& groups_;
  JobSnapshot& snapshot_;
  ScreenRows screen_;
  std::optional<MetricsSinks> sinks_;
  std::optional<EventsFile> events_;  // none without JobProto.tensorboard
};

}  // namespace singa
