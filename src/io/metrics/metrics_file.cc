#include "io/metrics/metrics_file.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "io/file/new_file.h"
#include "singa/base/error.h"

namespace singa {
namespace {

nlohmann::ordered_json ToJson(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

// `time`: seconds since 1970.
std::string LineOf(const MetricsRow& row, double time) {
  nlohmann::ordered_json json;
  json["time"] = time;
  json["phase"] = row.phase;
  json["step"] = row.step;
  json["group"] = row.group;
  json["layer"] = row.layer;
  if (!row.host.empty()) {
    json["host"] = row.host;
    json["pid"] = row.pid;
  }
  for (const auto* const part : {&row.metrics, &row.values})
    for (const auto& [name, value] : *part) json[name] = ToJson(value);
  if (!row.staleness.empty()) json["staleness"] = row.staleness;
  if (row.bad_records > 0) json["bad_records"] = row.bad_records;
  return JsonText(json) + "\n";
}

// Returns whether `line` stays if the groups continue at `first_steps`. Lines of other programs
// stay. Incomplete rows, which a crash of the system leaves, do not.
bool Stays(const std::string& line, const std::vector<int64_t>& first_steps) {
  if (line.find('\0') != std::string::npos) return false;
  const nlohmann::json row = ParsedJson(line);
  if (row.is_discarded() && line.starts_with('{')) return false;
  if (!row.is_object()) return true;
  const auto step = row.find("step"), group = row.find("group");
  if (step == row.end() || !step->is_number_integer()) return true;
  const bool known = group != row.end() && group->is_number_integer();
  const int64_t g = known ? group->get<int64_t>() : 0;
  if (g < 0 || g >= static_cast<int64_t>(first_steps.size())) return false;
  return step->get<int64_t>() < first_steps[static_cast<size_t>(g)];
}

// The content of a file that stays: its first `bytes`, and `lines` from after them.
struct Kept {
  int64_t bytes = 0;
  std::string lines;
};

// A last line without a newline stays only if it is a complete JSON value.
template <typename Keeps>
Kept KeepOf(const std::string& path, const Keeps& keeps) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  Kept kept;
  bool cut = false;
  while (std::getline(file, line)) {
    const bool ends = !file.eof();
    if (!keeps(line) || (!ends && !IsJson(line)))
      cut = true;
    else if (cut || !ends)
      kept.lines += line + "\n";
    else
      kept.bytes += static_cast<int64_t>(line.size()) + 1;
  }
  if (!file.eof()) ThrowWriteError(kExitIo, path, "its rows cannot be read", errno);
  return kept;
}

// Replaces `path` by the content that stays.
void Rewrite(FileSystem* files, const std::string& path, const Kept& kept) {
  std::ifstream from(path, std::ios::binary);
  std::string begin(static_cast<size_t>(kept.bytes), '\0');
  if (!from.read(begin.data(), kept.bytes))
    ThrowWriteError(kExitIo, path, "its rows cannot be read", errno);
  NewFile to(files, path);
  to.Write(begin);
  to.Write(kept.lines);
  to.Commit();
}

template <typename Keeps>
void Open(FileSystem* files, const std::string& path, const PendingOptions& options,
          const Keeps& keeps, std::optional<PendingFile>* file) {
  file->emplace(files, path, options);  // throws if `path` cannot be opened
  RemoveLeftOver(files, path);
  const Kept kept = KeepOf(path, keeps);
  if (kept.lines.empty()) return (*file)->Truncate(kept.bytes);
  Rewrite(files, path, kept);
  file->emplace(files, path, options);
}

}  // namespace

MetricsFile::MetricsFile(const MetricsOptions& options) : path_(options.folder + "/metrics.jsonl") {
  Open(
      options.files, path_, options.pending,
      [&](const std::string& line) {
        return !options.first_steps || Stays(line, *options.first_steps);
      },
      &file_);
}

void MetricsFile::Write(const MetricsRows& rows) {
  const double time =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const MetricsRow& row : rows) file_->Add(LineOf(row, time));
}

void MetricsFile::RequireRoom() {
  if (file_->Overflows()) ThrowWriteError(kExitIo, path_, "too many rows wait", file_->error());
}

SINGA_REGISTER_METRICS_FORMAT(jsonl, MetricsFile);

}  // namespace singa
