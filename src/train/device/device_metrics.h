// DeviceMetrics sums a net's metrics over steps on the device that computes them. Upload and
// Download move the sums between the device and a MetricSums. They are added in the order of a
// worker without a device.
#pragma once

#include <memory>

#include "train/device/step_report.h"
#include "train/reduce/metric_sums.h"

namespace singa {

class DeviceMetrics {
 public:
  // Both must outlive it. REQUIRES: the net of `sums` is bound, and all its layers with metrics are
  // on the device.
  DeviceMetrics(MetricSums* sums, Context* ctx);

  // Moves the sums to the device before a step, if they are not there.
  void Upload();
  // Adds the metrics of a step that counts, and zeroes them in any case. Runs in the order of the
  // context's work.
  void Take(const StepVerdict* verdict);
  // Moves the sums to the host, if they are not there. Waits for the work before.
  void Download();

 private:
  MetricSums* const host_;
  Context* const ctx_;
  int64_t cell_count_ = 0;
  Tensor cells_, sums_;           // sums_: f64 [entries, 2]
  std::shared_ptr<void> pinned_;  // as large as sums_
  bool on_host_ = true;
};

}  // namespace singa
