#include "driver/board/run_details.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/json_text.h"
#include "io/checkpoint/manifest.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int64_t kMostText = int64_t{16} << 20;  // bytes of a file that is sent
constexpr int64_t kMostLog = int64_t{64} << 10;   // bytes of the end of a log
constexpr size_t kMostLogLines = 200;
constexpr size_t kMostCheckpoints = 50;

// Returns a JSON file; null if it is missing or wrong.
json JsonFile(const WorkspaceFiles& files, const std::string& name) {
  const auto text = files.Text(name, kMostText);
  if (!text) return {};
  try {
    return ParseJson(*text, name);
  } catch (const DataError&) {
    return {};
  }
}

// Returns a text; null if it is missing.
ordered_json TextFile(const WorkspaceFiles& files, const std::string& name) {
  const auto text = files.Text(name, kMostText);
  return text ? ordered_json(*text) : ordered_json();
}

json NetOf(const WorkspaceFiles& files) {
  json net;
  for (const std::string phase : {"train", "test"}) {
    json graph = JsonFile(files, "visualization/" + phase + "_net.json");
    if (!graph.is_null()) net[phase] = std::move(graph);
  }
  return net;
}

// Returns the times of layers that the job has measured (driver/job/layer_profile.h), without rows
// that are wrong; null: there are none.
json LayerTimesOf(const WorkspaceFiles& files) {
  const json file = JsonFile(files, "visualization/layers_ms.json");
  json rows;
  for (const json& row : file.is_array() ? file : json::array())
    if (row.is_object() && row.value("layer", json()).is_string() &&
        row.value("forward_ms", json()).is_number() && row.value("backward_ms", json()).is_number())
      rows.push_back(json{{"layer", row["layer"]},
                          {"forward_ms", row["forward_ms"]},
                          {"backward_ms", row["backward_ms"]}});
  return rows;
}

// Reads the names and shapes in the head of a safetensors file: its size as u64, then JSON. Throws
// DataError or FileError.
json CheckpointParams(const WorkspaceFiles& files, const std::string& name) {
  const std::optional<WorkspaceFile> file = files.Open(name);
  if (!file) throw DataError(name, -1, "is missing");
  const std::string size_bytes = file->Read(0, sizeof(uint64_t));
  uint64_t size = 0;
  if (size_bytes.size() == sizeof size) std::memcpy(&size, size_bytes.data(), sizeof size);
  if (size == 0 || size > static_cast<uint64_t>(kMostText))
    throw DataError(name, -1, "has a head of a wrong size");
  const json head = ParseJson(file->Read(sizeof size, static_cast<int64_t>(size)), name);
  json params = json::array();
  for (const auto& [param, value] : head.items())
    if (param != "__metadata__" && value.is_object())
      params.push_back({{"name", param}, {"shape", value.value("shape", json::array())}});
  return params;
}

// Looks at the manifest of a checkpoint and at the sizes of its files. Throws DataError or
// FileError if they are wrong.
void CheckCheckpoint(const WorkspaceFiles& files, const std::string& folder, ordered_json* entry) {
  const std::string name = folder + "/" + kManifestFile;
  const std::optional<WorkspaceFile> file = files.Open(name);
  if (!file) throw DataError(name, -1, "is missing");
  (*entry)["time"] = static_cast<double>(file->status.st_mtim.tv_sec) +
                     static_cast<double>(file->status.st_mtim.tv_nsec) * 1e-9;
  const Manifest manifest = ParseManifest(file->Read(0, std::min(file->size(), kMostText)), name);
  int64_t bytes = file->size();
  for (const auto& [part, expected] : manifest.files) {
    if (part.find('/') != std::string::npos) throw DataError(name, -1, "names a file elsewhere");
    const std::optional<WorkspaceFile> found = files.Open(folder + "/" + part);
    if (!found) throw DataError(folder + "/" + part, -1, "is missing");
    if (found->size() != expected.bytes)
      throw DataError(folder + "/" + part, -1,
                      StrCat("has ", found->size(), " bytes, not ", expected.bytes));
    bytes += found->size();
  }
  (*entry)["bytes"] = bytes;
}

ordered_json CheckpointEntryOf(const WorkspaceFiles& files, int64_t step, bool newest) {
  const std::string folder = "checkpoint/" + StepName(step);
  ordered_json entry = {{"step", step},    {"bytes", nullptr}, {"time", nullptr},
                        {"intact", false}, {"error", nullptr}, {"params", nullptr}};
  try {
    CheckCheckpoint(files, folder, &entry);
    if (newest) entry["params"] = CheckpointParams(files, folder + "/" + kModelFile);
    entry["intact"] = true;
  } catch (const Error& error) {
    entry["error"] = error.what();
  }
  return entry;
}

ordered_json CheckpointsOf(const WorkspaceFiles& files) {
  std::vector<int64_t> steps;
  for (const std::string& name : files.List("checkpoint"))
    if (const auto step = StepOf(name)) steps.push_back(*step);
  std::sort(steps.rbegin(), steps.rend());
  steps.resize(std::min(steps.size(), kMostCheckpoints));
  ordered_json entries = ordered_json::array();
  for (const int64_t step : steps)
    entries.push_back(CheckpointEntryOf(files, step, step == steps.front()));
  return entries;
}

// Adds the last lines of the log that was written last.
void AddLog(const WorkspaceFiles& files, ordered_json* details) {
  std::string newest;
  struct timespec time = {};
  for (const std::string& name : files.List("log")) {
    try {
      const std::optional<WorkspaceFile> file = files.Open("log/" + name);
      if (!file || (!newest.empty() &&
                    std::pair(file->status.st_mtim.tv_sec, file->status.st_mtim.tv_nsec) <=
                        std::pair(time.tv_sec, time.tv_nsec)))
        continue;
      newest = name;
      time = file->status.st_mtim;
    } catch (const FileError&) {  // a link, such as singa.INFO
    }
  }
  if (newest.empty()) return;
  try {
    const std::optional<WorkspaceFile> file = files.Open("log/" + newest);
    if (!file) return;
    const int64_t from = std::max<int64_t>(0, file->size() - kMostLog);
    std::string text = file->Read(from, kMostLog);
    if (from > 0) text.erase(0, text.find('\n') + 1);  // begins inside a line
    std::vector<std::string> lines;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (lines.size() > kMostLogLines)
      lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMostLogLines));
    (*details)["log"] = lines;
    (*details)["log_file"] = newest;
  } catch (const FileError&) {  // gone meanwhile
  }
}

}  // namespace

ordered_json RunDetails(int run, const WorkspaceFiles& files) {
  ordered_json details = {{"run", run}};
  details["net"] = NetOf(files);
  details["checkpoints"] = CheckpointsOf(files);
  details["log"] = details["log_file"] = nullptr;
  AddLog(files, &details);
  details["plan"] = JsonFile(files, "partition.json");
  details["conf"] = TextFile(files, "visualization/job.conf");
  details["dot"] = TextFile(files, "visualization/train_net.dot");
  details["layers_ms"] = LayerTimesOf(files);
  return details;
}

}  // namespace singa
