#include "driver/workspace/progress.h"

#include <glog/logging.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text/formatted.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

bool IsTerminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && term && std::strcmp(term, "dumb") != 0;
}

size_t TerminalWidth() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Order in which fields are left out on a narrow terminal: the speed first, the first loss last.
enum FieldRank : int { kSpeed, kBar, kMore, kTimeLeft, kMetricField, kCount, kLoss };

// Returns the fields of a row that a terminal's line shows.
std::vector<LineField> RowFields(const MetricsRows& rows, const std::string& speed,
                                 const std::string& more) {
  std::vector<LineField> fields;
  if (!speed.empty()) fields.push_back({", ", speed, kSpeed});
  bool has_loss = false;
  for (const MetricsRow& row : rows) {
    for (const auto& [name, value] : row.metrics) {
      const bool loss = !has_loss && name == "loss";
      has_loss = has_loss || loss;
      fields.push_back(
          {", ", Printable(name) + Formatted(value, " %.4f"), loss ? kLoss : kMetricField});
    }
  }
  if (!more.empty()) fields.push_back({", ", more, kMore});
  return fields;
}

}  // namespace

std::string MetricsText(const MetricsRows& rows) {
  const bool several =
      std::ranges::count_if(rows, [](const MetricsRow& row) { return !row.metrics.empty(); }) > 1;
  std::string text;
  for (const MetricsRow& row : rows) {
    for (const auto& [name, value] : row.metrics) {
      if (!text.empty()) text += ", ";
      if (several) text += row.layer + ".";
      text += name + " = " + Formatted(value, "%.6f");
    }
  }
  return text;
}

std::string JoinNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string DurationText(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "?";
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  char text[32];
  if (whole >= 3600)
    std::snprintf(text, sizeof(text), "%lld:%02d:%02d", static_cast<long long>(whole / 3600),
                  static_cast<int>(whole / 60 % 60), static_cast<int>(whole % 60));
  else
    std::snprintf(text, sizeof(text), "%d:%02d", static_cast<int>(whole / 60),
                  static_cast<int>(whole % 60));
  return text;
}

void ClearLine() {
  if (IsTerminal()) std::fputs("\r\x1b[K", stderr);
}

Progress::Progress(int groups) : terminal_(IsTerminal()), several_groups_(groups > 1) {}

void Progress::Clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::Say(const std::string& line) {
  Clear();
  const std::string shown = Printable(line);
  std::fprintf(stderr, "%s\n", shown.c_str());
  LOG(INFO) << shown;
}

// Measures the mean time of a step. It leaves out the first step, which makes plans and touches
// memory first, and waits for enough steps and a second.
void Progress::NoteStep(int64_t step) {
  const auto now = std::chrono::steady_clock::now();
  if (first_step_ < 0) {
    first_step_ = step;
    first_end_ = now;
  }
  constexpr int64_t kLeastSteps = 3;
  constexpr double kLeastSeconds = 1;
  const int64_t steps = step - first_step_;
  const double seconds = std::chrono::duration<double>(now - first_end_).count();
  step_seconds_ =
      steps >= kLeastSteps && seconds >= kLeastSeconds ? seconds / static_cast<double>(steps) : -1;
}

// Returns the speed; "" after only the first step, which is slower than the others.
std::string Progress::SpeedText(int64_t step, double samples_per_second) const {
  if (step == first_step_) return "";
  return Formatted(samples_per_second, "%.0f samples/s") + (several_groups_ ? " of group 0" : "");
}

std::string Progress::TimeLeft(int64_t step, int64_t steps) const {
  const auto left = static_cast<double>(steps - step - 1);
  if (left > 0 && step_seconds_ < 0) return "";
  return DurationText(left > 0 ? left * step_seconds_ : 0) + " left";
}

void Progress::ShowRow(int64_t step, int64_t steps, const MetricsRows& rows,
                       double samples_per_second, const std::string& more) {
  NoteStep(step);
  const std::string speed = SpeedText(step, samples_per_second);
  last_row_ = RowFields(rows, speed, more);
  std::string parts;
  for (const std::string& part : {MetricsText(rows), speed, TimeLeft(step, steps), more})
    if (!part.empty()) parts += (parts.empty() ? ": " : ", ") + part;
  const std::string line = StrCat("train step ", step, parts);
  if (terminal_)
    Redraw(step, steps, last_row_);
  else
    std::fprintf(stderr, "%s\n", line.c_str());
  LOG(INFO) << line;
}

void Progress::ShowStep(int64_t step, int64_t steps, const std::function<MetricsRows()>& metrics,
                        double samples_per_second) {
  NoteStep(step);
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  Redraw(step, steps,
         last_row_.empty() ? RowFields(metrics(), SpeedText(step, samples_per_second), "")
                           : last_row_);
}

void Progress::Redraw(int64_t step, int64_t steps, const std::vector<LineField>& row) {
  constexpr int kBarColumns = 10;
  const int done = static_cast<int>(kBarColumns * (step + 1) / std::max<int64_t>(1, steps));
  std::string bar(static_cast<size_t>(done), '#');
  bar.resize(kBarColumns, '.');
  std::vector<LineField> fields = {{"", "[" + bar + "]", kBar},
                                   {" ", StrCat(step + 1, "/", steps), kCount}};
  const std::string left = TimeLeft(step, steps);
  if (!left.empty()) fields.push_back({" ", left, kTimeLeft});
  fields.insert(fields.end(), row.begin(), row.end());
  const std::string line = FitLine(std::move(fields), TerminalWidth() - 1);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace singa
