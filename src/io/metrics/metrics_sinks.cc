#include "io/metrics/metrics_sinks.h"

namespace singa {

MetricsFormatRegistry& MetricsFormats() {
  static MetricsFormatRegistry formats("metrics format");
  return formats;
}

MetricsSinks::MetricsSinks(const MetricsOptions& options, std::vector<MetricsSink*> others) {
  for (const std::string& name : MetricsFormats().Names()) {
    kept_.push_back(MetricsFormats().Make(name, options));
    sinks_.push_back(kept_.back().get());
  }
  sinks_.insert(sinks_.end(), others.begin(), others.end());
}

void MetricsSinks::Write(const MetricsRows& rows) {
  for (MetricsSink* sink : sinks_) sink->Write(rows);
}

void MetricsSinks::Sync() {
  for (MetricsSink* sink : sinks_) sink->Sync();
}

void MetricsSinks::RequireRoom() {
  for (MetricsSink* sink : sinks_) sink->RequireRoom();
}

}  // namespace singa
