// metrics.jsonl: one JSON object a line. Each line is written whole, by one call.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace singa {

struct MetricsRow {
  std::string phase;  // train, test, validate
  int64_t step = 0;
  int group = 0;
  std::string layer;
  std::vector<std::pair<std::string, double>> values;  // loss, samples_per_second, ...
  std::vector<int64_t> staleness;  // updates of slices by their staleness; empty: not written
  int64_t bad_records = 0;         // skipped so far; 0: not written
};

// Where rows go. Any thread may write; throws FileError.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  virtual void Write(const MetricsRow& row) = 0;
};

class MetricsFile final : public MetricsSink {
 public:
  // Opens `path` to append. Rows of group g of step first_steps[g] and later, of groups beyond, and
  // an incomplete last line, are taken out first. Throws FileError.
  MetricsFile(std::string path, const std::vector<int64_t>& first_steps);
  // Leaves the rows that are there.
  explicit MetricsFile(std::string path);
  ~MetricsFile() override;
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  void Write(const MetricsRow& row) override;

 private:
  void Open();

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace singa
