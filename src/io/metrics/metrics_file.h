// metrics.jsonl: one JSON object a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file/file_system.h"
#include "io/file/pending_file.h"

namespace singa {

struct MetricsRow {
  std::string phase;  // train, test, validate, process
  int64_t step = 0;
  int group = 0;
  std::string layer;
  std::string host = {};                               // where a process runs; "": not written
  int64_t pid = 0;                                     // of it, on that host
  std::vector<std::pair<std::string, double>> values;  // loss, samples_per_second, ...
  std::vector<int64_t> staleness;  // updates of slices by their staleness; empty: not written
  int64_t bad_records = 0;         // skipped so far; 0: not written
};

// Where rows go. Any thread may write.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  virtual void Write(const MetricsRow& row) = 0;
};

class MetricsFile final : public MetricsSink {
 public:
  // Opens `path` to append, or makes it. Rows of group g of step first_steps[g] and later, of
  // groups beyond, and what is left of a row that was cut off, are taken out first. `files` must
  // outlive it. Throws WriteError.
  MetricsFile(FileSystem* files, const std::string& path, const std::vector<int64_t>& first_steps,
              const PendingOptions& options = {});
  // Leaves the rows that are there.
  MetricsFile(FileSystem* files, const std::string& path, const PendingOptions& options = {});
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  // A row that the disk refuses waits (io/file/pending_file.h).
  void Write(const MetricsRow& row) override;
  // Throws WriteError where rows are not on the disk.
  void Sync() { file_->Sync(); }
  // More rows wait than may.
  bool Overflows() const { return file_->Overflows(); }
  // errno's value of the last refusal to write; 0: there was none.
  int error() const { return file_->error(); }

 private:
  std::optional<PendingFile> file_;
};

}  // namespace singa
