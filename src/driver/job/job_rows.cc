#include "driver/job/job_rows.h"

namespace singa {

int64_t CountBadRecords(const Net& net) {
  int64_t count = 0;
  for (const auto& [layer, records] : net.BadRecords())
    count += static_cast<int64_t>(records.size());
  return count;
}

void WriteRows(const std::string& phase, int64_t step, const MetricSums& sums, const Speed* speed,
               const Net& net, MetricsFile* file) {
  std::vector<MetricsRow> rows;
  for (const MetricSums::Entry& entry : sums.entries()) {
    if (rows.empty() || rows.back().layer != entry.layer) {
      rows.emplace_back();
      rows.back().layer = entry.layer;
    }
    rows.back().values.emplace_back(entry.name, entry.mean());
  }
  if (rows.empty()) rows.emplace_back();
  const int64_t bad_records = CountBadRecords(net);
  for (MetricsRow& row : rows) {
    row.phase = phase;
    row.step = step;
    row.bad_records = bad_records;
    if (speed) {
      row.values.emplace_back("samples_per_second", speed->samples_per_second);
      row.values.emplace_back("step_ms", speed->step_ms);
      row.values.emplace_back("data_wait_ms", speed->data_wait_ms);
      row.values.emplace_back("bytes_sent", 0);  // one process sends nothing
    }
    file->Write(row);
  }
}

}  // namespace singa
