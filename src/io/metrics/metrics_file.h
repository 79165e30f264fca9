// MetricsFile writes metrics.jsonl, with one JSON object per line.
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
  std::string layer = {};
  std::string host = {};                                    // host of the process; "": not written
  int64_t pid = 0;                                          // its process id on that host
  std::vector<std::pair<std::string, double>> values = {};  // loss, samples_per_second, ...
  std::vector<int64_t> staleness = {};  // updates of slices by their staleness; empty: not written
  int64_t bad_records = 0;              // number of records skipped so far; 0: not written
};

// Receives rows. Any thread may write.
class MetricsSink {
 public:
  virtual ~MetricsSink() = default;
  virtual void Write(const MetricsRow& row) = 0;
};

class MetricsFile final : public MetricsSink {
 public:
  // Opens `path` to append, or makes it. First removes rows of group g from step first_steps[g] on,
  // rows of groups beyond first_steps, and incomplete rows. `files` must outlive it. Throws
  // WriteError.
  MetricsFile(FileSystem* files, const std::string& path, const std::vector<int64_t>& first_steps,
              const PendingOptions& options = {});
  // Opens `path` to append and keeps its rows.
  MetricsFile(FileSystem* files, const std::string& path, const PendingOptions& options = {});
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  // Writes a row. A row that the disk refuses waits in memory (io/file/pending_file.h).
  void Write(const MetricsRow& row) override;
  // Throws WriteError if rows are not on the disk.
  void Sync() { file_->Sync(); }
  // Returns whether more rows wait than PendingOptions allows.
  bool Overflows() const { return file_->Overflows(); }
  // Returns the errno of the last refused write; 0: none was refused.
  int error() const { return file_->error(); }

 private:
  std::optional<PendingFile> file_;
};

}  // namespace singa
