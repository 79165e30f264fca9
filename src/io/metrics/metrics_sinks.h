// MetricsSinks passes the rows of a job on to all its sinks. Those that keep rows in the workspace
// register themselves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/file/pending_file.h"
#include "io/metrics/metrics_sink.h"
#include "singa/base/registry.h"

namespace singa {

struct MetricsOptions {
  FileSystem* files;   // must outlive the sinks
  std::string folder;  // the workspace
  // A training that goes on removes rows of group g from step first_steps[g] on, rows of groups
  // beyond first_steps, and incomplete rows. Not set: all rows stay.
  std::optional<std::vector<int64_t>> first_steps = {};
  PendingOptions pending = {};
};

// Sinks by the form in which they keep rows. Makers throw WriteError.
using MetricsFormatRegistry = Registry<MetricsSink, const MetricsOptions&>;
MetricsFormatRegistry& MetricsFormats();

// SINGA_REGISTER_METRICS_FORMAT(jsonl, MetricsFile); the class is made of MetricsOptions.
#define SINGA_REGISTER_METRICS_FORMAT(name, Class)                                      \
  [[maybe_unused]] const bool singa_registered_metrics_format_##name =                  \
      ::singa::MetricsFormats().Add(#name, [](const ::singa::MetricsOptions& options) { \
        return std::unique_ptr<::singa::MetricsSink>(std::make_unique<Class>(options)); \
      })

class MetricsSinks final : public MetricsSink {
 public:
  // Opens the sinks of all formats. Rows also go to `others`, after them; these must outlive this
  // object. Throws WriteError.
  explicit MetricsSinks(const MetricsOptions& options, std::vector<MetricsSink*> others = {});

  void Write(const MetricsRows& rows) override;
  void Sync() override;
  void RequireRoom() override;

 private:
  std::vector<std::unique_ptr<MetricsSink>> kept_;
  std::vector<MetricsSink*> sinks_;  // kept_ and others
};

}  // namespace singa
