// ScreenRows shows rows of metrics on stderr: those of group 0's training, tests and validations.
#pragma once

#include <cstdint>
#include <string>

#include "base/thread/activity_mark.h"
#include "driver/job/slowest_process.h"
#include "driver/workspace/progress.h"
#include "io/metrics/metrics_sink.h"

namespace singa {

class ScreenRows final : public MetricsSink {
 public:
  // `steps`: number of steps of the whole training. `mark`: of the thread that writes rows of group
  // 0; null: none. Both objects must outlive this one.
  ScreenRows(Progress* progress, int64_t steps, ActivityMark* mark)
      : progress_(*progress), steps_(steps), mark_(mark) {}
  // May wait as long as nobody reads stderr. The watchdog blames no worker for that.
  void Write(const MetricsRows& rows) override;

 private:
  std::string SlowestIn(const MetricsRows& rows);

  Progress& progress_;
  const int64_t steps_;
  ActivityMark* const mark_;
  SlowestProcess slowest_;
};

}  // namespace singa
