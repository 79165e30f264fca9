// EventsFile writes the rows of a run to a file that TensorBoard reads.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/thread/mutex.h"
#include "io/file/pending_file.h"
#include "io/metrics/metrics_sinks.h"
#include "io/metrics/row_events.h"

namespace singa {

class EventsFile final : public MetricsSink {
 public:
  // Begins a new file in the workspace, after it has cut the others back as `options` say.
  // `shared`: as in RowEvents. Throws FileError.
  EventsFile(const MetricsOptions& options, std::set<std::string> shared);
  EventsFile(const EventsFile&) = delete;
  EventsFile& operator=(const EventsFile&) = delete;

  void Write(const MetricsRows& rows) override;
  void Sync() override { file_->Sync(); }
  void RequireRoom() override;

  // Adds the histogram of a param's numbers at a step of group 0.
  void WriteHistogram(int64_t step, const std::string& tag, tensorboard::Histogram histogram);
  void WriteGraph(const tensorboard::GraphDef& graph);

 private:
  void Add(const tensorboard::Event& event);

  std::string path_;
  std::optional<PendingFile> file_;
  Mutex mutex_;
  RowEvents events_ GUARDED_BY(mutex_);
};

}  // namespace singa
