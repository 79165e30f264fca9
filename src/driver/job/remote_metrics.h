// RemoteMetrics and ReceivedRows carry rows of metrics to rank 0, which writes them.
#pragma once

#include <vector>

#include "base/thread/mutex.h"
#include "cluster/process/job_process.h"
#include "io/metrics/metrics_sink.h"

namespace singa {

// Sends rows to rank 0. Names are cut to 1000 bytes, and a row with more than 32 values becomes
// several rows.
class RemoteMetrics final : public MetricsSink {
 public:
  explicit RemoteMetrics(JobProcess* process) : process_(*process) {}
  void Write(const MetricsRows& rows) override;

 private:
  void Send(const MetricsRow& row, const MetricsRow::Values& values);

  JobProcess& process_;
};

// Returns the row that RemoteMetrics sent, without invalid values.
MetricsRow RowOf(const ControlMessage::Row& sent);

// Holds received rows, as the thread that receives them must not wait for a disk.
class ReceivedRows {
 public:
  // `process` is rank 0's and must outlive this object.
  explicit ReceivedRows(JobProcess* process) : process_(process) {}
  // Adds a received row. Any thread may call it.
  void Add(const ControlMessage::Row& sent);
  // Writes all rows to `sink`, each by itself. Throws the errors of `sink`.
  void WriteTo(MetricsSink* sink);

 private:
  JobProcess* const process_;
  Mutex mutex_;
  std::vector<MetricsRow> rows_ GUARDED_BY(mutex_);
};

}  // namespace singa
