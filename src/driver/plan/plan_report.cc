#include "driver/plan/plan_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/aligned_table.h"
#include "base/text/counted.h"
#include "base/text/formatted.h"
#include "base/text/json_text.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

using Line = std::vector<std::string>;

std::string Ms(double ms) { return Formatted(ms, "%.3f"); }

std::string Mb(int64_t bytes) { return Formatted(1e-6 * static_cast<double>(bytes), "%.2f"); }

std::string LayerTable(const JobPlans& plans) {
  const JobPlan& plan = plans.found();
  const int workers = plans.cluster.workers;
  std::vector<Line> lines = {{"layer", "type", "divided", "compute ms", "moved MB", "transfer ms",
                              "hidden ms", "memory MB"}};
  for (size_t i = 0; i < plans.net.layers.size(); ++i) {
    const CostLayer& layer = plans.net.layers[i];
    const LayerReport& report = plan.cost.layers[i];
    lines.push_back({layer.name, layer.type,
                     TextOf(LayoutIn(plan.division, layer.name, workers), workers),
                     Ms(report.compute_ms), Mb(report.moved_bytes), Ms(report.transfer_ms),
                     Ms(report.hidden_ms), Mb(report.bytes)});
  }
  return AlignedTable(lines, 3);
}

// N workers are at most N times as fast as one. A larger ratio is noise in the measured times.
double SpeedUp(const JobPlans& plans, const JobPlan& plan) {
  if (plan.cost.step_ms <= 0) return 0;
  return std::min<double>(plans.one_worker_ms / plan.cost.step_ms, plans.cluster.workers);
}

std::string Totals(const JobPlans& plans) {
  const bool measured =
      std::ranges::any_of(plans.plans, [](const JobPlan& plan) { return plan.measured_ms > 0; });
  std::vector<Line> lines = {
      {"plan", "", "step ms", "speed-up", "moved MB", "link MB", "memory MB"}};
  if (measured) lines[0].insert(lines[0].begin() + 3, {"measured ms", "error"});
  for (const JobPlan& plan : plans.plans) {
    Line line = {plan.name,
                 plan.brief,
                 Ms(plan.cost.step_ms),
                 Formatted(SpeedUp(plans, plan), "%.2f"),
                 Mb(plan.cost.moved_bytes),
                 Mb(plan.cost.sent_bytes),
                 Mb(plan.memory)};
    if (measured) {
      const double error = plan.measured_ms > 0 ? plan.cost.step_ms / plan.measured_ms - 1 : 0;
      const Line cells = plan.measured_ms > 0
                             ? Line{Ms(plan.measured_ms), Formatted(100 * error, "%.1f %%")}
                             : Line{"-", "-"};
      line.insert(line.begin() + 3, cells.begin(), cells.end());
    }
    lines.push_back(line);
  }
  return AlignedTable(lines, 2);
}

// Returns whether the mode is faster than whole gradients by more than the prediction's
// uncertainty.
bool Pays(const JobPlans& plans, const GradientMode& mode) {
  return mode.step_ms < (1 - plans.uncertainty()) * plans.modes.front().step_ms;
}

// Returns, for people, whether the mode pays. The time in which GPUs encode is not counted.
std::string Judgement(const JobPlans& plans, const GradientMode& mode) {
  if (&mode == &plans.modes.front()) return "whole";
  if (plans.cluster.untimed_gpus) return "";
  if (!Pays(plans, mode)) return "no gain here";
  return plans.cluster.gpus ? "may be faster" : "faster";
}

std::string ModeTable(const JobPlans& plans) {
  const bool timed = !plans.cluster.untimed_gpus;
  std::vector<Line> lines = {{"gradients", "by", "", "step ms", "compute ms", "encode ms",
                              "exposed ms", "link ms", "link MB"}};
  const auto text = [](bool known, double ms) { return known ? Ms(ms) : "-"; };
  for (const GradientMode& mode : plans.modes)
    lines.push_back({mode.name, mode.way, Judgement(plans, mode), text(timed, mode.step_ms),
                     text(timed, mode.compute_ms()), text(!plans.cluster.on_gpus(), mode.encode_ms),
                     text(timed, mode.exposed_ms), Ms(mode.link_ms), Mb(mode.sent_bytes)});
  return AlignedTable(lines, 3);
}

nlohmann::ordered_json ModeJson(const JobPlans& plans, const GradientMode& mode) {
  nlohmann::ordered_json json = {{"name", mode.name},
                                 {"by", mode.way},
                                 {"link_ms", mode.link_ms},
                                 {"link_bytes", mode.sent_bytes}};
  if (plans.cluster.untimed_gpus) return json;
  json["step_ms"] = mode.step_ms;
  json["compute_ms"] = mode.compute_ms();
  if (!plans.cluster.gpus) json["encode_ms"] = mode.encode_ms;
  json["exposed_ms"] = mode.exposed_ms;
  json["pays"] = Pays(plans, mode);
  return json;
}

// Returns the object of layer number `i`.
nlohmann::ordered_json LayerJson(const JobPlans& plans, const JobPlan& plan, size_t i) {
  const CostLayer& layer = plans.net.layers[i];
  const LayerReport& report = plan.cost.layers[i];
  const int workers = plans.cluster.workers;
  const Layout layout = LayoutIn(plan.division, layer.name, workers);
  nlohmann::ordered_json json = {{"name", layer.name},
                                 {"type", layer.type},
                                 {"rows", layout.rows},
                                 {"units", layout.units},
                                 {"compute_ms", report.compute_ms},
                                 {"bytes", report.moved_bytes},
                                 {"link_bytes", report.sent_bytes},
                                 {"transfer_ms", report.transfer_ms},
                                 {"hidden_ms", report.hidden_ms},
                                 {"memory_mb", 1e-6 * static_cast<double>(report.bytes)}};
  if (layout == LayoutByRows(workers)) json["partition_dim"] = 0;
  if (layout == LayoutByUnits(workers) && workers > 1) json["partition_dim"] = 1;
  return json;
}

}  // namespace

std::string PlanTable(const JobPlans& plans) {
  const PlanCluster& cluster = plans.cluster;
  std::string text = LayerTable(plans) + "\n" + Totals(plans) + "\n";
  if (!plans.modes.empty()) text += ModeTable(plans) + "\n";
  text +=
      StrCat("workers        ", cluster.workers,
             cluster.gpus ? " with a GPU each" : StrCat(" of ", Counted(cluster.threads, "thread")),
             " on ", Counted(cluster.hosts, "host"), "\n");
  if (cluster.hosts > 1)
    text += StrCat("link           ", Formatted(cluster.link_gbit, "%.2f"), " Gbit/s, ",
                   Formatted(cluster.link_us, "%.0f"), " us\n");
  if (!plans.way.empty())
    text += StrCat("gradients      whole, by ", plans.way,
                   ": compression needs several hosts (-hosts)\n");
  text += StrCat("one worker     ", Ms(plans.one_worker_ms), " ms a step\n");
  text += StrCat("times          ", plans.source);
  text += StrCat("\nmodel's error  ", Formatted(100 * plans.error.relative, "%.1f"), " %, ",
                 plans.error.plans > 0
                     ? StrCat("of ", Counted(plans.error.plans, "plan"), " measured here")
                     : "assumed",
                 "\n");
  if (plans.others.of > 0)
    text += StrCat("note           other programs used ", Formatted(plans.others.used, "%.1f"),
                   " of ", Counted(plans.others.of, "core"),
                   ": times are not reliable; -fresh on a quiet machine measures again\n");
  if (plans.spread > plans.error.relative)
    text += StrCat("spread         ", Formatted(100 * plans.spread, "%.1f"),
                   " % between measurements of a part: -fresh on a quiet machine gives better "
                   "times\n");
  if (!plans.note.empty()) text += StrCat("note           ", plans.note, "\n");
  if (cluster.untimed_gpus)
    text += "note           the GPUs' speed is not known: -machine describes it\n";
  else if (cluster.gpus && !plans.modes.empty())
    text += "note           the time in which GPUs encode gradients is not counted\n";
  if (const int left = plans.grids_left_out; left > 0)
    text += StrCat("note           ", Counted(left, "grid"), " of rows and units ",
                   left == 1 ? "was" : "were", " not tried\n");
  if (!plans.exact)
    text += "note           the search has not seen all plans: a better one may exist\n";
  return text;
}

std::string PlanJson(const JobPlans& plans) {
  nlohmann::ordered_json json;
  json["plans"] = nlohmann::ordered_json::array();
  for (const JobPlan& plan : plans.plans) {
    nlohmann::ordered_json one = {{"name", plan.name},
                                  {"step_ms", plan.cost.step_ms},
                                  {"memory_mb", 1e-6 * static_cast<double>(plan.memory)},
                                  {"bytes", plan.cost.moved_bytes},
                                  {"link_bytes", plan.cost.sent_bytes},
                                  {"compute_ms", plan.cost.compute_ms},
                                  {"speed_up", SpeedUp(plans, plan)}};
    if (plan.measured_ms > 0) one["measured_ms"] = plan.measured_ms;
    for (size_t i = 0; i < plans.net.layers.size(); ++i)
      one["layers"].push_back(LayerJson(plans, plan, i));
    json["plans"].push_back(std::move(one));
  }
  for (const GradientMode& mode : plans.modes) json["gradients"].push_back(ModeJson(plans, mode));
  json["front"] = nlohmann::ordered_json::array();
  for (const FoundPlan& plan : plans.front.plans)
    json["front"].push_back(
        {{"step_ms", plan.step_ms}, {"memory_mb", 1e-6 * static_cast<double>(plan.bytes)}});
  json["front_exact"] = plans.front.exact;
  json["workers"] = plans.cluster.workers;
  json["hosts"] = plans.cluster.hosts;
  json["threads"] = plans.cluster.threads;
  json["one_worker_ms"] = plans.one_worker_ms;
  json["source"] = plans.source;
  json["error"] = plans.error.relative;
  json["error_plans"] = plans.error.plans;
  json["spread"] = plans.spread;
  if (plans.others.of > 0)
    json["other_programs"] = {{"cores", plans.others.used}, {"of", plans.others.of}};
  json["search_ms"] = plans.search_ms;
  json["exact"] = plans.exact;
  json["grids_left_out"] = plans.grids_left_out;
  if (!plans.note.empty()) json["note"] = plans.note;
  return JsonText(json, 2) + "\n";
}

}  // namespace singa
