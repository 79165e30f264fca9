// The rows of metrics.jsonl and their lines on stderr.
#pragma once

#include "driver/job/progress.h"
#include "io/metrics_file.h"
#include "train/metric_sums.h"

namespace singa {

// What a row says of speed; NaN: nothing.
struct Speed {
  double samples_per_second, step_ms, data_wait_ms;
};

// What rows of one moment have alike.
struct RowPlace {
  std::string phase;
  int64_t step = 0;
  int group = 0;
  int64_t bad_records = 0;
};

// One row for each layer with metrics (one without a layer's name where there is none).
void WriteRows(const RowPlace& place, const MetricSums& sums, const Speed* speed,
               MetricsFile* file);

// Bad records that readers of `net` have skipped.
int64_t CountBadRecords(const Net& net);

}  // namespace singa
