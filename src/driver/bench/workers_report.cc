#include "driver/bench/workers_report.h"

#include <algorithm>
#include <functional>

#include "base/text/counted.h"
#include "base/text/formatted.h"
#include "base/text/json_text.h"
#include "driver/bench/report_text.h"
#include "driver/timing/median.h"

namespace singa {
namespace {

constexpr size_t kMostRows = 12;  // gradients that the text shows, the largest ones

// Returns the median of value(each).
template <typename Steps, typename Value>
double MedianOver(const Steps& steps, const Value& value) {
  std::vector<double> values;
  values.reserve(steps.size());
  for (const auto& step : steps) values.push_back(value(step));
  return Median(std::move(values));
}

std::vector<GradientRow> Largest(const std::vector<GradientRow>& rows) {
  std::vector<int64_t> bytes;
  bytes.reserve(rows.size());
  for (const GradientRow& row : rows) bytes.push_back(row.bytes);
  std::ranges::sort(bytes, std::greater());
  const int64_t least = rows.size() > kMostRows ? bytes[kMostRows - 1] : 0;
  std::vector<GradientRow> largest;
  for (const GradientRow& row : rows)
    if (row.bytes >= least && largest.size() < kMostRows) largest.push_back(row);
  return largest;
}

// Returns a name and right-aligned cells.
std::string RowLine(size_t width, const std::string& name, const std::vector<std::string>& cells) {
  std::string line = name + std::string(width - name.size(), ' ');
  for (const std::string& cell : cells)
    line += "  " + std::string(cell.size() < 9 ? 9 - cell.size() : 0, ' ') + cell;
  return line + "\n";
}

std::string GradientsText(const std::vector<GradientRow>& all) {
  const std::vector<GradientRow> rows = Largest(all);
  size_t width = std::string("gradient").size();
  for (const GradientRow& row : rows) width = std::max(width, row.param.size());
  std::string text = RowLine(width, "gradient", {"KB", "ready ms", "sum ms", "wait ms"});
  for (const GradientRow& row : rows)
    text += RowLine(width, row.param,
                    {Formatted(1e-3 * static_cast<double>(row.bytes), "%.1f"),
                     Formatted(row.times.ready, "%.3f"),
                     row.times.sum < 0 ? "-" : Formatted(row.times.sum, "%.3f"),
                     Formatted(row.times.wait, "%.3f")});
  if (rows.size() < all.size())
    text += StrCat("and ", Counted(all.size() - rows.size(), "smaller gradient"), "\n");
  return text;
}

std::string SharesText(const std::vector<ProcessShare>& shares) {
  const size_t width = std::string("process").size();
  std::string text =
      RowLine(width, "process", {"workers", "step ms", "wait ms", "coding ms", "MB sent"});
  for (size_t i = 0; i < shares.size(); ++i)
    text +=
        RowLine(width, std::to_string(i),
                {Formatted(shares[i].workers, "%.0f"), Formatted(shares[i].step_ms, "%.3f"),
                 Formatted(shares[i].sync_wait_ms, "%.3f"), Formatted(shares[i].coding_ms, "%.3f"),
                 Formatted(1e-6 * shares[i].bytes_sent, "%.3f")});
  return text;
}

std::string SharesJson(const std::vector<ProcessShare>& shares) {
  std::string text;
  for (size_t i = 0; i < shares.size(); ++i) {
    nlohmann::ordered_json json = {{"process", i}, {"process_workers", shares[i].workers}};
    json["step_ms"] = shares[i].step_ms;
    json["sync_wait_ms"] = shares[i].sync_wait_ms;
    json["coding_ms"] = shares[i].coding_ms;
    json["bytes_sent"] = shares[i].bytes_sent;
    text += JsonText(json) + "\n";
  }
  return text;
}

// If the time of a sum is known in some steps only, its median delay in those steps is used.
GradientTimes MediansOf(const std::vector<std::vector<GradientTimes>>& steps, size_t param) {
  GradientTimes times;
  times.ready = MedianOver(steps, [&](const auto& step) { return step[param].ready; });
  times.wait = MedianOver(steps, [&](const auto& step) { return step[param].wait; });
  std::vector<double> late;
  for (const auto& step : steps)
    if (step[param].sum >= 0) late.push_back(step[param].sum - step[param].ready);
  if (!late.empty()) times.sum = times.ready + Median(std::move(late));
  return times;
}

}  // namespace

double WorkersReport::bytes_sent() const {
  double sum = 0;
  for (const ProcessShare& share : shares) sum += share.bytes_sent;
  return sum;
}

double HiddenShare(const StepFigures& step) {
  return step.communication > 0 ? 1 - step.exposed / step.communication : 1;
}

WorkersReport WithSteps(WorkersReport report, const std::vector<StepFigures>& figures,
                        const std::vector<std::vector<GradientTimes>>& gradients) {
  for (double StepFigures::*part :
       {&StepFigures::step, &StepFigures::forward, &StepFigures::backward, &StepFigures::features,
        &StepFigures::update, &StepFigures::exposed, &StepFigures::worker_wait,
        &StepFigures::data_wait, &StepFigures::communication})
    report.step.*part = MedianOver(figures, [&](const StepFigures& step) { return step.*part; });
  report.hidden = MedianOver(figures, HiddenShare);
  for (size_t i = 0; i < report.gradients.size(); ++i)
    report.gradients[i].times = MediansOf(gradients, i);
  std::ranges::stable_sort(report.gradients, {},
                           [](const GradientRow& row) { return row.times.ready; });
  report.steps = std::ssize(figures);
  return report;
}

std::string WorkersTable(const WorkersReport& r) {
  const StepFigures& step = r.step;
  const std::string of = Counted(r.workers, "worker");
  std::string text =
      StrCat("\n", r.groups > 1 ? StrCat(r.groups, " groups of ", of) : of, " in ",
             Counted(r.processes, "process", "processes"), ", gradients by ", r.sync);
  if (r.here < r.groups * r.workers)
    text += StrCat("\ntimes of ", Counted(r.here, "worker"), " of group 0 in process 0");
  text += "\n\n" + GradientsText(r.gradients) + "\n";
  text += TimeLine("step          ", step.step,
                   StrCat(", ", Formatted(1e3 * static_cast<double>(r.batch) / step.step, "%.0f"),
                          " samples/s of a group, median of ", Counted(r.steps, "step")));
  text += TimeLine("  compute     ", step.forward + step.backward,
                   StrCat(", ", Formatted(step.forward, "%.3f"), " forward, ",
                          Formatted(step.backward, "%.3f"), " backward"));
  if (step.features > 0) text += TimeLine("  features    ", step.features);
  text += TimeLine("  update      ", step.update);
  text += TimeLine("  exposed     ", step.exposed);
  text += TimeLine("  worker wait ", step.worker_wait);
  text += TimeLine("  data wait   ", step.data_wait);
  text += TimeLine("  other       ", std::max(0.0, step.other()));
  text += TimeLine("communication ", step.communication,
                   step.communication > 0
                       ? StrCat(", ", Formatted(100 * r.hidden, "%.0f"), " % of it hidden")
                       : "");
  text += StrCat("sent          ", Formatted(1e-6 * r.bytes_sent(), "%9.3f MB a step"), "\n");
  if (r.processes > 1) text += "\n" + SharesText(r.shares);
  return text;
}

std::string WorkersJson(const WorkersReport& r) {
  std::string text;
  for (const GradientRow& row : r.gradients) {
    nlohmann::ordered_json json = {{"gradient", row.param}, {"bytes", row.bytes}};
    json["ready_ms"] = row.times.ready;
    json["sum_ms"] = nullptr;
    if (row.times.sum >= 0) json["sum_ms"] = row.times.sum;
    json["next_forward_wait_ms"] = row.times.wait;
    text += JsonText(json) + "\n";
  }
  if (r.processes > 1) text += SharesJson(r.shares);
  nlohmann::ordered_json json = {{"workers", r.workers}, {"groups", r.groups}};
  json["processes"] = r.processes;
  json["workers_here"] = r.here;
  json["sync"] = r.sync;
  json["step_ms"] = r.step.step;
  json["compute_ms"] = r.step.forward + r.step.backward;
  json["forward_ms"] = r.step.forward;
  json["backward_ms"] = r.step.backward;
  json["features_ms"] = r.step.features;
  json["update_ms"] = r.step.update;
  json["exposed_ms"] = r.step.exposed;
  json["worker_wait_ms"] = r.step.worker_wait;
  json["data_wait_ms"] = r.step.data_wait;
  json["other_ms"] = std::max(0.0, r.step.other());
  json["communication_ms"] = r.step.communication;
  json["hidden_share"] = r.hidden;
  json["bytes_sent"] = r.bytes_sent();
  json["steps"] = r.steps;
  json["batch"] = r.batch;
  return text + JsonText(json) + "\n";
}

}  // namespace singa
