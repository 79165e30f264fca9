#include "driver/board/metrics_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "driver/board/step_values.h"
#include "driver/http/prometheus_text.h"
#include "io/metrics/row_number.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using nlohmann::json;

double NumberField(const json& row, const char* field) {
  return RowNumber(row.value(field, json())).value_or(0);
}

std::string TextField(const json& row, const char* field) {
  const json value = row.value(field, json());
  return value.is_string()   ? value.get<std::string>()
         : value.is_number() ? NumberText(value.get<double>())
                             : "";
}

// Returns a metric's name as Prometheus allows it.
std::string PrometheusName(const std::string& text) {
  std::string name;
  for (const unsigned char c : text)
    name += std::isalnum(c) && c < 0x80 ? static_cast<char>(c) : '_';
  return name;
}

// Adds the numbers of a layer: singa_train_loss, singa_test_accuracy, ... A name that Prometheus
// does not allow is a label, too, so that top-1 and top_1 stay two samples.
void AddLayerRow(const std::string& run, const std::string& phase, const json& row,
                 PrometheusText* to) {
  const MetricLabels labels = {
      {"run", run}, {"layer", TextField(row, "layer")}, {"group", TextField(row, "group")}};
  for (const auto& [field, value] : row.items()) {
    const std::optional<double> number = RowNumber(value);
    if (!number || IsPlaceField(field) || FindStepValue(field)) continue;
    const std::string name = PrometheusName(phase + "_" + field);
    MetricLabels own = labels;
    if (name != phase + "_" + field) own.emplace_back("metric", field);
    to->Add(name, "Newest value of this metric of a layer in this phase.", own, *number);
  }
}

// Adds the numbers of a group's step. Each layer's row has them, so one row is enough.
void AddStepRow(const std::string& run, const NewestRow& newest, PrometheusText* to) {
  const MetricLabels labels = {{"run", run}, {"group", TextField(newest.row, "group")}};
  const double step = NumberField(newest.row, "step");
  to->Add("step", "Newest step in the rows of training.", labels, step);
  to->Add("steps_total", "Steps that were trained.", labels, step + 1);
  for (const StepValue& value : kStepValues) {
    const bool sum = value.field == "bytes_sent";
    const auto number = RowNumber(newest.row.value(std::string(value.field), json()));
    if (!number) continue;
    to->Add(std::string(value.metric), value.help, labels,
            sum ? newest.bytes_sent : *number * value.scale);
  }
}

void AddProcessRow(const std::string& run, const NewestRow& newest, PrometheusText* to) {
  const json& row = newest.row;
  const MetricLabels labels = {{"run", run},
                               {"rank", TextField(row, "rank")},
                               {"host", TextField(row, "host")},
                               {"group", TextField(row, "group")}};
  constexpr std::pair<const char*, const char*> kParts[] = {
      {"compute", "compute_ms"}, {"sync_wait", "sync_wait_ms"}, {"data_wait", "data_wait_ms"}};
  for (const auto& [part, field] : kParts) {
    MetricLabels with_part = labels;
    with_part.emplace_back("part", part);
    to->Add("process_step_seconds", "Mean time of a part of a process's step.", with_part,
            NumberField(row, field) * 1e-3);
  }
  to->Add("process_bytes_sent_total", "Bytes that a process sent.", labels, newest.bytes_sent);
  to->Add("process_bytes_received_total", "Bytes that a process received.", labels,
          newest.bytes_received);
  if (const auto memory = RowNumber(row.value("memory_mb", json())))
    to->Add("process_memory_bytes", "Memory of a process.", labels, *memory * 1e6);
}

void AddRunRows(const RunState& run, PrometheusText* to) {
  const MetricLabels labels = {{"run", run.name}};
  to->Add("run_info", "Always 1. The label job is the job's name.",
          {{"run", run.name}, {"job", run.job}}, 1);
  to->Add("run_live", "1 if the job runs, else 0.", labels, run.live ? 1 : 0);
  to->Add("rows_total", "Rows of metrics.jsonl.", labels, static_cast<double>(run.rows));
  to->Add("malformed_lines_total", "Lines of metrics.jsonl that are no rows.", labels,
          static_cast<double>(run.malformed));
  double time = 0;
  std::map<std::string, const NewestRow*> steps;  // by group, of the newest train row
  for (const NewestRow& newest : run.newest) {
    time = std::max(time, NumberField(newest.row, "time"));
    const std::string phase = TextField(newest.row, "phase");
    if (phase == "process") {
      AddProcessRow(run.name, newest, to);
      continue;
    }
    AddLayerRow(run.name, phase == "validate" ? "validation" : phase, newest.row, to);
    const NewestRow*& now = steps[TextField(newest.row, "group")];
    if (phase == "train" &&
        (!now || NumberField(newest.row, "step") > NumberField(now->row, "step")))
      now = &newest;
  }
  for (const auto& [group, newest] : steps)
    if (newest) AddStepRow(run.name, *newest, to);
  if (time > 0)
    to->Add("last_row_timestamp_seconds", "When the newest row was written, since 1970.", labels,
            time);
}

}  // namespace

std::string MetricsText(const std::vector<RunState>& runs) {
  PrometheusText families;
  for (const RunState& run : runs) AddRunRows(run, &families);
  return families.Text();
}

}  // namespace singa
