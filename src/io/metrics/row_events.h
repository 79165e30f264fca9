// RowEvents makes TensorBoard's events of rows of metrics. One thread at a time uses it.
//
// Tags are <phase>/<name>, such as train/loss, and process/rank<R>/<name>. If several layers have
// a metric of a name, its tag ends with /<layer>. Groups but the first have group<G>/ before it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "io/metrics/metrics_sink.h"
#include "singa/proto/tensorboard.pb.h"

namespace singa {

class RowEvents {
 public:
  // `shared`: names of the metrics that several layers have.
  explicit RowEvents(std::set<std::string> shared) : shared_(std::move(shared)) {}

  // Returns the scalars of a row; nullopt: there is none. Values that rows of several layers
  // repeat, such as lr, come once a step. `time`: seconds since 1970.
  std::optional<tensorboard::Event> Of(const MetricsRow& row, double time);

 private:
  std::string TagOf(const MetricsRow& row, const std::string& name) const;

  const std::set<std::string> shared_;
  std::map<std::string, int64_t> steps_;  // the last, by tag
};

// Returns the events that begin a file: its version, and the start of a run at `step`.
tensorboard::Event VersionEvent(double time);
tensorboard::Event StartEvent(double time, int64_t step);
// Returns an event with a histogram.
tensorboard::Event HistogramEvent(double time, int64_t step, const std::string& tag,
                                  tensorboard::Histogram histogram);

// Returns the group whose row has this tag.
int64_t GroupOfTag(const std::string& tag);

}  // namespace singa
