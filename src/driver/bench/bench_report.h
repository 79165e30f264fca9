// What `singa bench` measured, as a table or as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace singa {

// Times are milliseconds, each the median of its own over the steps.
struct BenchRow {
  std::string layer, type;
  double forward_ms = 0, backward_ms = 0, update_ms = 0;
  double flops = 0;  // nominal, of a step
  double bytes = 0;  // each tensor that the step must read or write, once

  double gflops() const;    // GFLOP/s of forward and backward
  double gb_per_s() const;  // of all three
};

struct BenchReport {
  std::vector<BenchRow> layers;
  BenchRow sum;  // of all layers; times: the median of the steps' sums
  double step_ms = 0, wait_ms = 0;
  double late_update_ms = 0;  // updates that waited for the end of the backward pass
  double overhead_ms = 0;     // what the step took beside all of these
  int64_t batch = 0, steps = 0;
  int threads = 1;
  bool synthetic = false;
  double fma_peak = 0;   // operations per second, of all threads
  double copy_rate = 0;  // bytes per second, likewise
  int64_t peak_rss = 0;  // bytes

  double samples_per_second() const { return 1e3 * static_cast<double>(batch) / step_ms; }
};

std::string BenchTable(const BenchReport& report);
// One object a line: each layer's, then the step's.
std::string BenchJson(const BenchReport& report);

}  // namespace singa
