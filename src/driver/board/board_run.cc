#include "driver/board/board_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file/file_system.h"
#include "base/text/json_text.h"
#include "driver/board/row_outline.h"
#include "driver/board/step_values.h"
#include "io/metrics/row_number.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int64_t kMostSent = 50'000;  // of all series in one answer
constexpr int64_t kLeastRows = 50;     // of a series, where there are many

// Returns a row as a JSON object. Any other value: the line is no row, as the file has changed
// meanwhile, or is wrong JSON.
json ParsedRow(const std::string& line) { return ReadRowOutline(line) ? ParsedJson(line) : json(); }

}  // namespace

BoardRun::BoardRun(int number, std::string name, const std::string& folder)
    : number_(number), name_(std::move(name)), files_(folder), index_(&files_) {}

std::vector<json> BoardRun::Parsed(const std::vector<int64_t>& rows) {
  std::vector<json> parsed;
  for (const std::string& line : index_.Lines(rows)) {
    json row = ParsedRow(line);
    if (row.is_object()) parsed.push_back(std::move(row));
  }
  return parsed;
}

void BoardRun::FindNames() {
  if (named_generation_ == index_.generation() && named_samples_ == index_.samples()) return;
  std::vector<int64_t> rows;
  for (const RowSeries& series : index_.series())
    rows.insert(rows.end(), series.samples.begin(), series.samples.end());
  std::sort(rows.begin(), rows.end());
  std::set<std::string> phases, metrics, values, layers;
  for (const json& row : Parsed(rows)) {
    const std::string phase = row.value("phase", json()).is_string() ? row["phase"] : json("");
    phases.insert(phase);
    if (phase == "process") continue;
    const json layer = row.value("layer", json());
    if (layer.is_string() && !layer.get_ref<const std::string&>().empty())
      layers.insert(layer.get<std::string>());
    for (const auto& [key, value] : row.items())
      if (!IsPlaceField(key) && RowNumber(value))
        (FindStepValue(key) ? values : metrics).insert(key);
  }
  names_ = {{"phases", phases}, {"metrics", metrics}, {"values", values}, {"layers", layers}};
  named_generation_ = index_.generation();
  named_samples_ = index_.samples();
}

ordered_json BoardRun::Summary() {
  ordered_json summary = {{"run", number_}, {"name", name_}, {"path", files_.folder()}};
  const MutexLock lock(&mutex_);
  json error;
  try {
    index_.Update();
  } catch (const Error& caught) {
    error = caught.what();
  }
  const JobState job = job_.Read(files_);
  summary["job"] = job.name.empty() ? json() : json(job.name);
  summary["live"] = job.Runs(index_.changed());
  summary["rows"] = index_.rows();
  summary["step"] = summary["time"] = json();
  std::vector<json> newest;
  try {
    if (index_.rows() > 0) newest = Parsed({index_.rows() - 1});
    if (!newest.empty()) {
      summary["step"] = newest[0].value("step", json());
      summary["time"] = newest[0].value("time", json());
    }
    FindNames();
  } catch (const Error& caught) {
    error = caught.what();
  }
  for (const auto& [key, names] : names_.items()) summary[key] = names;
  summary["train_steps"] = job.train_steps ? json(*job.train_steps) : json();
  summary["malformed"] = index_.malformed();
  summary["error"] = error;
  return summary;
}

std::string BoardRun::Rows(const RowsRequest& request) {
  const MutexLock lock(&mutex_);
  index_.Update();
  const bool reset = request.after > index_.rows() ||
                     (request.generation && *request.generation != index_.generation());
  const int64_t after = reset ? 0 : request.after;
  const auto series = std::max<int64_t>(1, static_cast<int64_t>(index_.series().size()));
  const int64_t most = std::min(request.most, std::max(kLeastRows, kMostSent / series));
  const ChosenRows chosen = index_.Choose(after, most);
  const std::vector<std::string> lines = index_.Lines(chosen.rows);
  const int64_t next =
      lines.size() < chosen.rows.size() ? chosen.rows[lines.size()] : index_.rows();
  std::string text =
      StrCat("{\"run\":", number_, ",\"next\":", next, ",\"generation\":", index_.generation(),
             ",\"reset\":", reset ? "true" : "false",
             ",\"thinned\":", chosen.thinned ? "true" : "false", ",\"rows\":[");
  const char* comma = "";
  for (const std::string& line : lines) {
    if (!IsJson(line)) continue;
    text += comma + line;
    comma = ",\n";
  }
  return text + "]}\n";
}

RunState BoardRun::State() {
  RunState state;
  state.name = name_;
  const MutexLock lock(&mutex_);
  try {
    index_.Update();
    const JobState job = job_.Read(files_);
    state.job = job.name;
    state.live = job.Runs(index_.changed());
    state.rows = index_.rows();
    state.malformed = index_.malformed();
    std::map<int64_t, const RowSeries*> newest;  // by row
    for (const RowSeries& series : index_.series()) newest[series.newest] = &series;
    std::vector<int64_t> rows;
    rows.reserve(newest.size());
    for (const auto& [row, series] : newest) rows.push_back(row);
    const std::vector<std::string> lines = index_.Lines(rows);
    for (size_t i = 0; i < lines.size(); ++i) {
      json row = ParsedRow(lines[i]);
      const RowSeries& series = *newest[rows[i]];
      if (row.is_object())
        state.newest.push_back({std::move(row), series.bytes_sent, series.bytes_received});
    }
  } catch (const Error&) {
    state.newest.clear();
  }
  return state;
}

std::vector<std::string> RunNames(const std::vector<std::string>& folders) {
  std::vector<std::vector<std::string>> parts;  // of each path, the last first
  for (const std::string& folder : folders) {
    std::vector<std::string>& of = parts.emplace_back();
    for (const auto& part : PlaceOf(folder))
      if (!part.empty() && part != "/") of.insert(of.begin(), part.string());
    if (of.empty()) of.push_back("/");
  }
  std::vector<std::string> names(folders.size());
  for (size_t i = 0; i < folders.size(); ++i) {
    for (size_t depth = 0; depth < parts[i].size(); ++depth) {
      names[i] = parts[i][depth] + (depth == 0 ? "" : "/" + names[i]);
      const auto equal = [&](const std::vector<std::string>& other) {
        return &other != &parts[i] && other.size() > depth &&
               std::equal(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(depth) + 1,
                          parts[i].begin());
      };
      if (std::none_of(parts.begin(), parts.end(), equal)) break;
    }
  }
  for (size_t i = 1; i < names.size(); ++i) {  // one folder that is given twice
    const auto here = names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(names.begin(), here, names[i]) != here) names[i] += StrCat("#", i);
  }
  return names;
}

}  // namespace singa
