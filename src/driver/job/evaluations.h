// Evaluations runs the tests and validations of a training job, and writes their rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/workers/job_snapshot.h"
#include "driver/job/job_checkpoints.h"
#include "driver/workspace/side_files.h"
#include "io/metrics/metrics_sink.h"
#include "singa/proto/job.pb.h"
#include "train/trainer/evaluator.h"

namespace singa {

class Evaluations {
 public:
  // All arguments must outlive it.
  Evaluations(const JobProto& job, WorkerGroups* groups, JobSnapshot* snapshot,
              JobCheckpoints* checkpoints, SideFiles* side_files)
      : job_(job),
        groups_(*groups),
        snapshot_(*snapshot),
        checkpoints_(*checkpoints),
        side_files_(*side_files),
        averages_(job.ema_decay() > 0) {}

  // Evaluates the values after `updates` updates, or their averages with ema_decay, if the job has
  // a net of `phase`. A signal ends it early, without a row.
  void Run(Phase phase, int64_t updates, MetricsSink* sink);
  // Metrics of the last test; "": there was none.
  const std::string& last_test() const { return last_test_; }

 private:
  void CollectValues(int64_t updates);
  std::optional<MetricSums> Evaluate(Evaluator* evaluator, Phase phase);

  const JobProto& job_;
  WorkerGroups& groups_;
  JobSnapshot& snapshot_;
  JobCheckpoints& checkpoints_;
  SideFiles& side_files_;
  const bool averages_;
  std::string last_test_;
};

}  // namespace singa
