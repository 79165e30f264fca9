#include "driver/job/progress.h"

#include <glog/logging.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "singa/base/str_cat.h"

#include "singa/base/error.h"

namespace singa {
namespace {

std::string Number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

bool IsTerminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && term && std::strcmp(term, "dumb") != 0;
}

size_t TerminalWidth() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string SpeedText(double samples_per_second) {
  return Number("%.0f", samples_per_second) + " samples/s";
}

// What the line of a terminal shows of a row.
std::string RowText(const std::vector<MetricSums::Entry>& metrics, double samples_per_second) {
  std::string text = SpeedText(samples_per_second);
  for (const MetricSums::Entry& entry : metrics)
    text += ", " + entry.name + Number(" %.4f", entry.value());
  return text;
}

}  // namespace

std::string MetricsText(const std::vector<MetricSums::Entry>& entries) {
  bool several = false;
  for (const MetricSums::Entry& entry : entries)
    several = several || entry.layer != entries[0].layer;
  std::string text;
  for (const MetricSums::Entry& entry : entries) {
    if (!text.empty()) text += ", ";
    if (several) text += entry.layer + ".";
    text += entry.name + " = " + Number("%.6f", entry.value());
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

Progress::Progress() : terminal_(IsTerminal()) {}

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

void Progress::ShowRow(int64_t step, int64_t steps, const std::vector<MetricSums::Entry>& metrics,
                       double samples_per_second, double step_seconds, const std::string& more) {
  last_row_ = RowText(metrics, samples_per_second) + more;
  const std::string line =
      StrCat("train step ", step, ": ", MetricsText(metrics), metrics.empty() ? "" : ", ",
             SpeedText(samples_per_second), ", ",
             DurationText(static_cast<double>(steps - step - 1) * step_seconds), " left", more);
  if (terminal_)
    Redraw(step, steps, last_row_, step_seconds);
  else
    std::fprintf(stderr, "%s\n", line.c_str());
  LOG(INFO) << line;
}

void Progress::ShowStep(int64_t step, int64_t steps, const std::function<MetricSums()>& metrics,
                        double samples_per_second, double step_seconds) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_draw_ < std::chrono::milliseconds(100)) return;
  last_draw_ = now;
  const std::string row =
      last_row_.empty() ? RowText(metrics().entries(), samples_per_second) : last_row_;
  Redraw(step, steps, row, step_seconds);
}

void Progress::Redraw(int64_t step, int64_t steps, const std::string& row, double step_seconds) {
  constexpr int kBar = 10;
  const int done = static_cast<int>(kBar * (step + 1) / std::max<int64_t>(1, steps));
  std::string bar(static_cast<size_t>(done), '#');
  bar.resize(kBar, '.');
  std::string line =
      StrCat("[", bar, "] ", step + 1, "/", steps, " ",
             DurationText(static_cast<double>(steps - step - 1) * step_seconds), " left, ", row);
  const size_t width = TerminalWidth();
  if (line.size() >= width) line.resize(width - 1);
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace singa
