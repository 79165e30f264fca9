// MetricsFile writes metrics.jsonl, with one JSON object per line.
#pragma once

#include <optional>
#include <string>

#include "base/file/file_system.h"
#include "io/file/pending_file.h"
#include "io/metrics/metrics_sinks.h"

namespace singa {

class MetricsFile final : public MetricsSink {
 public:
  // Opens the workspace's file to append, or makes it. Throws WriteError.
  explicit MetricsFile(const MetricsOptions& options);
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  // Writes rows. A row that the disk refuses waits in memory (io/file/pending_file.h).
  void Write(const MetricsRows& rows) override;
  void Sync() override { file_->Sync(); }
  void RequireRoom() override;

 private:
  const std::string path_;
  std::optional<PendingFile> file_;
};

}  // namespace singa
