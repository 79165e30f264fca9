#include "driver/job/job_rows.h"

namespace singa {

void WriteRows(const std::string& phase, int64_t step, const MetricSums& sums, const Speed* speed,
               MetricsFile* file) {
  std::vector<MetricsRow> rows;
  for (const MetricSums::Entry& entry : sums.entries()) {
    if (rows.empty() || rows.back().layer != entry.layer) {
      rows.emplace_back();
      rows.back().layer = entry.layer;
    }
    rows.back().values.emplace_back(entry.name, entry.mean());
  }
  if (rows.empty()) rows.emplace_back();
  for (MetricsRow& row : rows) {
    row.phase = phase;
    row.step = step;
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
