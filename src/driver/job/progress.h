// What people see of a running job, on stderr: plain lines, and on a terminal one line that shows
// where the job is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "train/metric_sums.h"

namespace singa {

// "loss = 0.693147, accuracy = 0.5000"; layer names in front where several layers have metrics.
std::string MetricsText(const std::vector<MetricSums::Entry>& entries);
// "a, b, c".
std::string JoinNames(const std::vector<std::string>& names);
// "1:02:03", "0:07".
std::string DurationText(double seconds);

class Progress {
 public:
  Progress();

  // A line of its own.
  void Say(const std::string& line);
  void Warn(const std::string& line) { Say("warning: " + line); }
  // `more` stands at its end. Rows of metrics go to a line of their own where stderr is no
  // terminal.
  void ShowRow(int64_t step, int64_t steps, const std::vector<MetricSums::Entry>& metrics,
               double samples_per_second, double step_seconds, const std::string& more = "");
  // The line at the bottom of a terminal, at most ten times a second. It shows the last row, or
  // these where there was none yet.
  void ShowStep(int64_t step, int64_t steps, const std::function<MetricSums()>& metrics,
                double samples_per_second, double step_seconds);

 private:
  void Clear();
  void Redraw(int64_t step, int64_t steps, const std::string& row, double step_seconds);

  bool terminal_;
  bool drawn_ = false;
  std::string last_row_;
  std::chrono::steady_clock::time_point last_draw_{};
};

}  // namespace singa
