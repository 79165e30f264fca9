#include "driver/job/screen_rows.h"

#include <vector>

#include "base/text/formatted.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

double RowValue(const MetricsRow& row, const std::string& name) {
  const double* const value = row.Find(name);
  return value ? *value : 0;
}

// Returns the text about the staleness of the parameters; "": no server applied an update.
std::string StalenessIn(const MetricsRow& row) {
  const double* const mean = row.Find("staleness_mean");
  return mean ? Formatted(*mean, "staleness %.1f") : "";
}

}  // namespace

// Returns the text about the process that the others wait for; "": there is none.
std::string ScreenRows::SlowestIn(const MetricsRows& rows) {
  std::vector<const MetricsRow*> processes;
  std::vector<ProcessShare> shares;
  for (const MetricsRow& row : rows) {
    if (row.phase != "process") continue;
    processes.push_back(&row);
    shares.push_back(
        {.step_ms = RowValue(row, "step_ms"), .sync_wait_ms = RowValue(row, "sync_wait_ms")});
  }
  const auto slowest = slowest_.Find(shares);
  if (!slowest) return "";
  const MetricsRow& row = *processes[static_cast<size_t>(slowest->place)];
  return StrCat("slowest process ", static_cast<int>(RowValue(row, "rank")), " (", row.host,
                ", pid ", row.pid, "): ", Formatted(100 * slowest->longer, "+%.0f %% of a step"));
}

void ScreenRows::Write(const MetricsRows& rows) {
  const MetricsRow& first = rows.front();
  if (first.group != 0 || first.phase == "process") return;
  const ActivityMark::Scope shows(mark_, Activity::kBetween);
  if (first.phase != "train")
    return progress_.Say(StrCat(first.phase, " step ", first.step, ": ", MetricsText(rows)));
  const std::string slowest = SlowestIn(rows);
  progress_.ShowRow(first.step, steps_, rows, RowValue(first, "samples_per_second"),
                    slowest.empty() ? StalenessIn(first) : slowest);
}

}  // namespace singa
