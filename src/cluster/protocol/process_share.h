// ProcessShare says how one process spent time and bytes since the last row of metrics.
#pragma once

#include <array>

namespace singa {

struct ProcessShare {
  double workers = 0, rows = 0;  // workers of the process; their rows of each batch
  // Means over the steps: the time of a step, the mean over the workers of their waits for each
  // other, and the longest wait of a worker for records.
  double step_ms = 0, sync_wait_ms = 0, data_wait_ms = 0;
  double bytes_sent = 0, bytes_received = 0;

  // Returns the rest of a step.
  double compute_ms() const { return step_ms - sync_wait_ms - data_wait_ms; }

  static constexpr int kNumbers = 7;
  std::array<double*, kNumbers> Numbers() {
    return {&workers, &rows, &step_ms, &sync_wait_ms, &data_wait_ms, &bytes_sent, &bytes_received};
  }
};

}  // namespace singa
