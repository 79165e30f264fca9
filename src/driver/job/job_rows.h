// These functions make the rows of metrics that a job writes.
#pragma once

#include <optional>

#include "cluster/protocol/process_share.h"
#include "cluster/protocol/staleness_counts.h"
#include "cluster/workers/worker_groups.h"
#include "io/metrics/metrics_sink.h"
#include "nn/net_readers.h"
#include "train/reduce/metric_sums.h"

namespace singa {

// Values of a training row, besides metrics, for the steps since the last row.
struct StepStats {
  double samples_per_second = 0, step_ms = 0, data_wait_ms = 0;
  double bytes_sent = 0;             // sent by the group's processes
  double lr = 0;                     // rate of the last step
  std::optional<double> epoch = {};  // passes over the training store; not set: unknown
  // Norm of the mean gradient in the last step, before clipping; not set: no clip_norm.
  std::optional<double> grad_norm = {};
  std::optional<double> predicted_step_ms = {};  // by the cost model; not set: no plan is known
  // Memory of the processes that have the group's workers, measured and by the plan of memory; 0:
  // not known.
  double memory_mb = 0, predicted_memory_mb = 0;
  StalenessCounts staleness = {};
};

// Values that all rows of one moment share.
struct RowHead {
  std::string phase;
  int64_t step = 0;
  int group = 0;
  int64_t bad_records = 0;
};

// Returns one row for each layer with metrics; if there is none, one row without a layer's name.
MetricsRows LayerRows(const MetricSums& sums);
// Returns these rows with the values of `head`, and of `stats` if it is not null.
MetricsRows LayerRows(const RowHead& head, const MetricSums& sums, const StepStats* stats);

// Returns a row of phase "process" for each process. The first has rank `first`.
MetricsRows ProcessRows(const RowHead& head, const std::vector<ProcessShare>& shares, int first,
                        JobProcess* process);
// Adds host and process id to a row of phase "process", by its `rank`. Only rank 0 knows them. The
// row may be a peer's. Any thread may call it.
void NameProcess(JobProcess* process, MetricsRow* row);

// Counts the bad records that `readers` have skipped.
int64_t CountBadRecords(const NetReaders& readers);
// Counts the bad records of all groups of this process, and of the nets for tests and validations.
int64_t CountBadRecords(WorkerGroups* groups);

}  // namespace singa
