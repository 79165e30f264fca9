// What people see of a running job, on stderr: plain lines, and on a terminal one line that shows
// where the job is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "driver/job/progress_line.h"
#include "train/reduce/metric_sums.h"

namespace singa {

// "loss = 0.693147, accuracy = 0.5000"; layer names in front where several layers have metrics.
std::string MetricsText(const std::vector<MetricSums::Entry>& entries);
// "a, b, c".
std::string JoinNames(const std::vector<std::string>& names);
// "1:02:03", "0:07".
std::string DurationText(double seconds);

// Takes back what stands in the last line of a terminal, for a line of its own.
void ClearLine();

class Progress {
 public:
  Progress();

  // A line of its own.
  void Say(const std::string& line);
  void Warn(const std::string& line) { Say("warning: " + line); }
  // `more` stands at its end. Rows of metrics go to a line of their own where stderr is no
  // terminal. The speed is shown after the first step of the run, the time that is left once enough
  // steps were taken to tell.
  void ShowRow(int64_t step, int64_t steps, const std::vector<MetricSums::Entry>& metrics,
               double samples_per_second, const std::string& more = "");
  // The line at the bottom of a terminal, at most ten times a second. It shows the last row, or
  // these where there was none yet. Each step without a row calls it.
  void ShowStep(int64_t step, int64_t steps, const std::function<MetricSums()>& metrics,
                double samples_per_second);

 private:
  void Clear();
  void NoteStep(int64_t step);
  std::string SpeedText(int64_t step, double samples_per_second) const;
  std::string TimeLeft(int64_t step, int64_t steps) const;
  void Redraw(int64_t step, int64_t steps, const std::vector<LineField>& row);

  bool terminal_;
  bool drawn_ = false;
  std::vector<LineField> last_row_;
  int64_t first_step_ = -1;  // that this run took
  std::chrono::steady_clock::time_point first_end_{};
  double step_seconds_ = -1;  // the mean since then; -1: not known yet
  std::chrono::steady_clock::time_point last_draw_{};
};

}  // namespace singa
