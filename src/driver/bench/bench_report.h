// BenchReport holds the results of `singa bench`, which it prints as a table or as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/bench/step_trace.h"

namespace singa {

// Results of one layer. Times are milliseconds, each the median over the steps.
struct BenchRow {
  std::string layer, type;
  double forward_ms = 0, backward_ms = 0, update_ms = 0;
  double flops = 0;  // nominal operations of a step
  double bytes = 0;  // bytes that a step must read or write, each tensor counted once

  double gflops() const;    // GFLOP/s of forward and backward
  double gb_per_s() const;  // over forward, backward and update
};

struct BenchReport {
  std::vector<BenchRow> layers;
  BenchRow sum;  // sum over all layers; times are medians of the steps' sums
  double step_ms = 0, wait_ms = 0;
  double late_update_ms = 0;  // updates that waited for the end of the backward pass
  double overhead_ms = 0;     // rest of the step's time
  int64_t batch = 0, steps = 0;
  int threads = 1;
  bool synthetic = false;
  std::string gpu;       // name of the GPU that computes; "": the CPU does
  double peak = 0;       // operations per second: of all threads, or of a large product on the GPU
  double copy_rate = 0;  // bytes per second: of all threads, or within the GPU's memory
  int64_t peak_rss = 0;  // bytes
  StepTrace trace = {};  // the step with the median time

  double samples_per_second() const { return 1e3 * static_cast<double>(batch) / step_ms; }
};

std::string BenchTable(const BenchReport& report);
// Returns one object per line: one for each layer, then the step's.
std::string BenchJson(const BenchReport& report);

}  // namespace singa
