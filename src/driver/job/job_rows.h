// The rows of metrics.jsonl and their lines on stderr.
#pragma once

#include <optional>

#include "cluster/protocol/process_share.h"
#include "cluster/protocol/staleness_counts.h"
#include "cluster/workers/worker_groups.h"
#include "driver/job/progress.h"
#include "io/metrics/metrics_file.h"
#include "train/reduce/metric_sums.h"

namespace singa {

// What a training row says of the steps since the last one, besides their metrics.
struct StepStats {
  double samples_per_second = 0, step_ms = 0, data_wait_ms = 0;
  double bytes_sent = 0;             // by the group's processes
  double lr = 0;                     // of the last step
  std::optional<double> epoch = {};  // passes over the training store; nothing: unknown
  // Norm of the mean gradient in the last step, before clipping; nothing: clip_norm is not set.
  std::optional<double> grad_norm = {};
  StalenessCounts staleness = {};
};

// What rows of one moment have alike.
struct RowPlace {
  std::string phase;
  int64_t step = 0;
  int group = 0;
  int64_t bad_records = 0;
};

// One row for each layer with metrics (one without a layer's name where there is none).
void WriteRows(const RowPlace& place, const MetricSums& sums, const StepStats* stats,
               MetricsSink* sink);

// A row of phase "process" for each process, the first of which has rank `first`.
void WriteShares(const RowPlace& place, const std::vector<ProcessShare>& shares, int first,
                 JobProcess* process, MetricsSink* sink);
// Rank 0: a row of phase "process" says where the process of its `rank` runs. The row may be a
// peer's. Any thread may call.
void NameProcess(JobProcess* process, MetricsRow* row);

// Bad records that readers of `net` have skipped.
int64_t CountBadRecords(const Net& net);
// Counts the bad records of all groups of this process, and of the nets for tests and validations.
int64_t CountBadRecords(WorkerGroups* groups);

}  // namespace singa
