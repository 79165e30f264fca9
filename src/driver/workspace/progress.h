// Progress shows a running job on stderr: plain lines, and on a terminal one line that is updated.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "driver/workspace/progress_line.h"
#include "io/metrics/metrics_sink.h"

namespace singa {

// Returns "loss = 0.693147, accuracy = 0.5000", with layer names if several layers have metrics.
std::string MetricsText(const MetricsRows& rows);
// Returns "a, b, c".
std::string JoinNames(const std::vector<std::string>& names);
// Returns "1:02:03" or "0:07".
std::string DurationText(double seconds);

// Clears the last line of a terminal, so that another line can be printed.
void ClearLine();

class Progress {
 public:
  // groups: worker groups of the job. The rows that it shows are those of group 0.
  explicit Progress(int groups = 1);

  // Prints a line.
  void Say(const std::string& line);
  void Warn(const std::string& line) { Say("warning: " + line); }
  // Shows the metrics of `rows`, with `more` after them: a line of its own if stderr is no
  // terminal. The speed is shown after the first step, the remaining time after enough steps to
  // estimate it.
  void ShowRow(int64_t step, int64_t steps, const MetricsRows& rows, double samples_per_second,
               const std::string& more = "");
  // Updates the line at the bottom of a terminal, at most ten times a second. It shows the last row
  // or, before the first row, `metrics`. Called for each step without a row.
  void ShowStep(int64_t step, int64_t steps, const std::function<MetricsRows()>& metrics,
                double samples_per_second);

 private:
  void Clear();
  void NoteStep(int64_t step);
  std::string SpeedText(int64_t step, double samples_per_second) const;
  std::string TimeLeft(int64_t step, int64_t steps) const;
  void Redraw(int64_t step, int64_t steps, const std::vector<LineField>& row);

  bool terminal_;
  const bool several_groups_;
  bool drawn_ = false;
  std::vector<LineField> last_row_;
  int64_t first_step_ = -1;  // first step of this run
  std::chrono::steady_clock::time_point first_end_{};
  double step_seconds_ = -1;  // mean since then; -1: not known yet
  std::chrono::steady_clock::time_point last_draw_{};
};

}  // namespace singa
