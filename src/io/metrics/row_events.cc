#include "io/metrics/row_events.h"

#include <string_view>
#include <utility>

#include "base/text/json_text.h"
#include "base/text/parse_number.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr std::string_view kGroupTag = "group";

}  // namespace

std::string RowEvents::TagOf(const MetricsRow& row, const std::string& name) const {
  std::string tag = row.group > 0 ? StrCat(kGroupTag, row.group, "/") : "";
  tag += row.phase + "/";
  const double* const rank = row.phase == "process" ? row.Find("rank") : nullptr;
  constexpr double kMostRanks = 1e6;
  if (rank && *rank >= 0 && *rank < kMostRanks)
    tag += StrCat("rank", static_cast<int64_t>(*rank), "/");
  tag += name;
  if (!row.layer.empty() && shared_.contains(name)) tag += "/" + row.layer;
  return ReplaceInvalidUtf8(tag);
}

std::optional<tensorboard::Event> RowEvents::Of(const MetricsRow& row, double time) {
  tensorboard::Event event;
  event.set_wall_time(time);
  event.set_step(row.step);
  const auto add = [&](const std::string& name, double value) {
    const std::string tag = TagOf(row, name);
    const auto [at, is_new] = steps_.try_emplace(tag, row.step);
    if (!is_new && at->second == row.step) return;
    at->second = row.step;
    tensorboard::Summary::Value* const scalar = event.mutable_summary()->add_value();
    scalar->set_tag(tag);
    scalar->set_simple_value(static_cast<float>(value));
  };
  for (const auto* const part : {&row.metrics, &row.values})
    for (const auto& [name, value] : *part)
      if (row.phase != "process" || name != "rank") add(name, value);
  if (row.bad_records > 0) add("bad_records", static_cast<double>(row.bad_records));
  if (!event.has_summary()) return {};
  return event;
}

tensorboard::Event VersionEvent(double time) {
  tensorboard::Event event;
  event.set_wall_time(time);
  event.set_file_version("brain.Event:2");
  return event;
}

tensorboard::Event StartEvent(double time, int64_t step) {
  tensorboard::Event event;
  event.set_wall_time(time);
  event.set_step(step);
  event.mutable_session_log()->set_status(tensorboard::SessionLog::START);
  return event;
}

tensorboard::Event HistogramEvent(double time, int64_t step, const std::string& tag,
                                  tensorboard::Histogram histogram) {
  tensorboard::Event event;
  event.set_wall_time(time);
  event.set_step(step);
  tensorboard::Summary::Value* const value = event.mutable_summary()->add_value();
  value->set_tag(ReplaceInvalidUtf8(tag));
  *value->mutable_histo() = std::move(histogram);
  return event;
}

int64_t GroupOfTag(const std::string& tag) {
  const size_t slash = tag.find('/');
  if (slash == std::string::npos || !tag.starts_with(kGroupTag)) return 0;
  return ParseNumber<int64_t>(tag.substr(kGroupTag.size(), slash - kGroupTag.size())).value_or(0);
}

}  // namespace singa
