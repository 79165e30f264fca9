#include "io/metrics/events_file.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "io/metrics/event_files.h"
#include "io/metrics/record_frames.h"

namespace singa {
namespace {

// Returns seconds since 1970.
double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

EventsFile::EventsFile(const MetricsOptions& options, std::set<std::string> shared)
    : events_(std::move(shared)) {
  int64_t first = 0;
  if (options.first_steps) {
    CutEventFiles(options.files, options.folder, *options.first_steps);
    for (const int64_t step : *options.first_steps) first = std::max(first, step);
  }
  path_ = options.folder + "/" + NextEventFile(options.files, options.folder);
  file_.emplace(options.files, path_, options.pending);
  Add(VersionEvent(SecondsNow()));
  // A TensorBoard that has shown later steps drops them. No event of another file has them now.
  Add(StartEvent(SecondsNow(), first));
}

void EventsFile::Write(const MetricsRows& rows) {
  const MutexLock lock(&mutex_);
  for (const MetricsRow& row : rows)
    if (const auto event = events_.Of(row, SecondsNow())) Add(*event);
}

void EventsFile::WriteHistogram(int64_t step, const std::string& tag,
                                tensorboard::Histogram histogram) {
  Add(HistogramEvent(SecondsNow(), step, tag, std::move(histogram)));
}

void EventsFile::WriteGraph(const tensorboard::GraphDef& graph) {
  tensorboard::Event event;
  event.set_wall_time(SecondsNow());
  event.set_graph_def(graph.SerializeAsString());
  Add(event);
}

void EventsFile::RequireRoom() {
  if (file_->Overflows()) ThrowWriteError(kExitIo, path_, "too many rows wait", file_->error());
}

void EventsFile::Add(const tensorboard::Event& event) {
  file_->Add(FrameOf(event.SerializeAsString()));
}

}  // namespace singa
