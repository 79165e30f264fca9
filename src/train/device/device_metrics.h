// DeviceMetrics: the metrics of a net, summed over steps on the device that computes them. The sums
// are where they were last asked for: there, or in a MetricSums, in the order of a worker that has
// them on the host.
#pragma once

#include <memory>

#include "train/device/step_report.h"
#include "train/reduce/metric_sums.h"

namespace singa {

class DeviceMetrics {
 public:
  // Both outlive it. REQUIRES: the net of `sums` is bound, all of it that has metrics on the
  // device.
  DeviceMetrics(MetricSums* sums, Context* ctx);

  // Before a step: the sums go to the device, if they are not there.
  void Bring();
  // In the order of the context's work: adds a step that counts, and forgets any other.
  void Take(const StepVerdict* verdict);
  // The sums go to the host, if they are not there. Waits for the work before.
  void Give();

 private:
  MetricSums* const host_;
  Context* const ctx_;
  int64_t cell_count_ = 0;
  Tensor cells_, sums_;           // sums_: f64 [entries, 2]
  std::shared_ptr<void> pinned_;  // as sums_
  bool on_host_ = true;
};

}  // namespace singa
