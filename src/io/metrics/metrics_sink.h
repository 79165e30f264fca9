// A MetricsSink receives the rows of metrics that a job writes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace singa {

struct MetricsRow {
  using Values = std::vector<std::pair<std::string, double>>;

  // Returns the value of this name in `values`; null: it has none.
  const double* Find(const std::string& name) const {
    for (const auto& [its, value] : values)
      if (its == name) return &value;
    return nullptr;
  }

  std::string phase;  // train, test, validate, process
  int64_t step = 0;
  int group = 0;
  std::string layer = {};
  std::string host = {};  // host of the process; "": not written
  int64_t pid = 0;        // its process id on that host
  Values metrics = {};    // of the layer: loss, accuracy, ...
  // The step's or process's: samples_per_second, ... Metrics, too, in a row of another process.
  Values values = {};
  std::vector<int64_t> staleness = {};  // updates of slices by their staleness; empty: not written
  int64_t bad_records = 0;              // number of records skipped so far; 0: not written
};

// The rows of one moment, at least one: one for each layer of a worker group that has metrics, then
// one for each of its processes.
using MetricsRows = std::vector<MetricsRow>;

// Any thread may call, but one thread at a time writes rows of a group.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  virtual void Write(const MetricsRows& rows) = 0;
  // Throws WriteError if rows are not on the disk.
  virtual void Sync() {}
  // Throws WriteError if so many rows wait for the disk that no more should come.
  virtual void RequireRoom() {}
};

}  // namespace singa
