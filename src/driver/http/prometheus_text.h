// PrometheusText writes numbers in Prometheus' text form
// (prometheus.io/docs/instrumenting/exposition_formats).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace singa {

using MetricLabels = std::vector<std::pair<std::string_view, std::string>>;

// Returns the shortest text of a number; NaN, +Inf or -Inf where it is not finite.
std::string NumberText(double value);

// The samples of each metric stand together, below its description.
class PrometheusText {
 public:
  // Adds a sample of singa_<name>: a counter if the name ends with "_total", else a gauge.
  void Add(const std::string& name, std::string_view help, const MetricLabels& labels,
           double value) {
    AddPart(name, name.ends_with("_total") ? "counter" : "gauge", help, "", labels, value);
  }
  // Adds a sample of singa_<name><part>. `type`: "summary" or "histogram"; part: "_sum", "_count",
  // "_bucket", or "" for a quantile.
  void AddPart(const std::string& name, const char* type, std::string_view help,
               std::string_view part, const MetricLabels& labels, double value);

  std::string Text() const;

 private:
  struct Family {
    std::string type, help, lines;
  };
  std::map<std::string, Family> families_;
};

}  // namespace singa
