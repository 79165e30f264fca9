// ProcessShare says how one process spent time and bytes since the last row of metrics, and how
// much memory it has.
#pragma once

#include <array>

namespace singa {

struct ProcessShare {
  double workers = 0, rows = 0;  // workers of the process; their rows of each batch
  // Means over the steps: the time of a step, the mean over the workers of their waits for each
  // other, and the longest wait of a worker for records.
  double step_ms = 0, sync_wait_ms = 0, data_wait_ms = 0;
  double coding_ms = 0;  // mean time of a step that a worker encodes gradients
  double work_ms = 0;    // time of a step that another thread computes a shorter form of gradients
  double bytes_sent = 0, bytes_received = 0;
  double memory_mb = 0;            // by ProcessMemory; 0: not known
  double predicted_memory_mb = 0;  // by WorkerGroups::memory; 0: not known

  // Returns the rest of a step.
  double compute_ms() const { return step_ms - sync_wait_ms - data_wait_ms; }

  static constexpr int kNumbers = 11;
  std::array<double*, kNumbers> Numbers() {
    return {&workers,    &rows,           &step_ms,   &sync_wait_ms,        &data_wait_ms,
            &bytes_sent, &bytes_received, &memory_mb, &predicted_memory_mb, &coding_ms,
            &work_ms};
  }
};

}  // namespace singa
