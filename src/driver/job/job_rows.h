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

// One row for each layer with metrics (one without a layer's name where there is none). `net`:
// whose readers say how many bad records were skipped.
void WriteRows(const std::string& phase, int64_t step, const MetricSums& sums, const Speed* speed,
               const Net& net, MetricsFile* file);

// Bad records that readers of `net` have skipped.
int64_t CountBadRecords(const Net& net);

}  // namespace singa
