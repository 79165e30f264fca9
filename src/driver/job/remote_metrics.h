// Rows of metrics on their way to the process that writes them.
#pragma once

#include <mutex>
#include <vector>

#include "cluster/process/job_process.h"
#include "io/metrics/metrics_file.h"

namespace singa {

// Sends rows to rank 0; of names their first 1000 bytes, of a row with more than 32 values several
// rows.
class RemoteMetrics final : public MetricsSink {
 public:
  explicit RemoteMetrics(JobProcess* process) : process_(*process) {}
  void Write(const MetricsRow& row) override;

 private:
  JobProcess& process_;
};

// The row that RemoteMetrics sent, without what does not fit.
MetricsRow RowOf(const ControlMessage::Row& sent);

// Rows that others have sent: whoever hears them has no time to write to a disk.
class ReceivedRows {
 public:
  // `process`: rank 0's, which outlives them.
  explicit ReceivedRows(JobProcess* process) : process_(process) {}
  // Any thread may call.
  void Add(const ControlMessage::Row& sent);
  // Throws as `sink`.
  void WriteTo(MetricsSink* sink);

 private:
  JobProcess* const process_;
  std::mutex mutex_;  // guards rows_
  std::vector<MetricsRow> rows_;
};

}  // namespace singa
