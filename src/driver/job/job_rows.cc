#include "driver/job/job_rows.h"

#include <cmath>

#include "cluster/workers/group_metrics.h"

namespace singa {

int64_t CountBadRecords(const NetReaders& readers) {
  int64_t count = 0;
  for (const auto& [layer, records] : readers.BadRecords())
    count += static_cast<int64_t>(records.size());
  return count;
}

int64_t CountBadRecords(WorkerGroups* groups) {
  int64_t count = 0;
  for (const int group : groups->here()) count += CountBadRecords(&groups->team(group));
  for (Phase phase : {kTest, kVal})
    if (Evaluator* evaluator = groups->lead().model().evaluator(phase))
      count += CountBadRecords(evaluator->readers());
  return count;
}

MetricsRows LayerRows(const MetricSums& sums) {
  MetricsRows rows;
  for (const MetricSums::Shown& shown : sums.Values()) {
    if (rows.empty() || rows.back().layer != shown.layer) {
      rows.emplace_back();
      rows.back().layer = shown.layer;
    }
    rows.back().metrics.emplace_back(shown.name, shown.value);
  }
  if (rows.empty()) rows.emplace_back();
  return rows;
}

MetricsRows LayerRows(const RowHead& head, const MetricSums& sums, const StepStats* stats) {
  MetricsRows rows = LayerRows(sums);
  for (MetricsRow& row : rows) {
    row.phase = head.phase;
    row.step = head.step;
    row.group = head.group;
    row.bad_records = head.bad_records;
    if (stats) {
      row.values.emplace_back("samples_per_second", stats->samples_per_second);
      row.values.emplace_back("step_ms", stats->step_ms);
      row.values.emplace_back("data_wait_ms", stats->data_wait_ms);
      row.values.emplace_back("bytes_sent", stats->bytes_sent);
      row.values.emplace_back("lr", stats->lr);
      if (stats->epoch) row.values.emplace_back("epoch", *stats->epoch);
      if (stats->predicted_step_ms)
        row.values.emplace_back("predicted_step_ms", *stats->predicted_step_ms);
      if (stats->memory_mb > 0) {
        row.values.emplace_back("memory_mb", stats->memory_mb);
        row.values.emplace_back("predicted_memory_mb", stats->predicted_memory_mb);
      }
      if (stats->grad_norm) row.values.emplace_back("grad_norm", *stats->grad_norm);
    }
    if (stats && stats->staleness.total > 0) {
      row.values.emplace_back("staleness_mean", stats->staleness.mean());
      row.values.emplace_back("staleness_max", stats->staleness.most);
      row.staleness = stats->staleness.Histogram();
    }
  }
  return rows;
}

void NameProcess(JobProcess* process, MetricsRow* row) {
  if (row->phase != "process") return;
  for (const auto& [name, value] : row->values) {
    const bool known =
        value >= 0 && value < process->part().processes() && value == std::floor(value);
    if (name != "rank" || !known) continue;
    const HostAndPid at = process->stub().host(static_cast<int>(value));
    row->host = at.host;
    row->pid = at.pid;
  }
}

MetricsRows ProcessRows(const RowHead& head, const std::vector<ProcessShare>& shares, int first,
                        JobProcess* process) {
  MetricsRows rows;
  for (const ProcessShare& share : shares) {
    MetricsRow& row = rows.emplace_back();
    row.phase = "process";
    row.step = head.step;
    row.group = head.group;
    row.values = {{"rank", static_cast<double>(first++)},
                  {"workers", share.workers},
                  {"rows", share.rows},
                  {"step_ms", share.step_ms},
                  {"compute_ms", share.compute_ms()},
                  {"sync_wait_ms", share.sync_wait_ms},
                  {"data_wait_ms", share.data_wait_ms},
                  {"bytes_sent", share.bytes_sent},
                  {"bytes_received", share.bytes_received}};
    if (share.memory_mb > 0) row.values.emplace_back("memory_mb", share.memory_mb);
    NameProcess(process, &row);
  }
  return rows;
}

}  // namespace singa
