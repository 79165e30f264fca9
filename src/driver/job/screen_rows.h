// ScreenRows shows rows of metrics on stderr: those of group 0's training, tests and validations.
#pragma once

#include <cstdint>
#include <string>

#include "driver/job/progress.h"
#include "driver/job/slowest_process.h"
#include "io/metrics/metrics_sink.h"

namespace singa {

class ScreenRows final : public MetricsSink {
 public:
  // `steps`: the last step of the training. `progress` must outlive this object.
  ScreenRows(Progress* progress, int64_t steps) : progress_(*progress), steps_(steps) {}
  // REQUIRES: one thread at a time writes rows of group 0.
  void Write(const MetricsRows& rows) override;

 private:
  std::string SlowestIn(const MetricsRows& rows);

  Progress& progress_;
  const int64_t steps_;
  SlowestProcess slowest_;
};

}  // namespace singa
