#include "driver/plan/kept_times.h"

#include <glog/logging.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/file/file_system.h"
#include "base/file/sha256.h"
#include "base/system/cpu_info.h"
#include "driver/version.h"
#include "io/file/text_file.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 22;  // of a file

// Returns "" if there is no such folder.
std::string CacheFolder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return StrCat(cache, "/singa/plan");
  const char* const home = std::getenv("HOME");
  return home && *home ? StrCat(home, "/.cache/singa/plan") : "";
}

// Returns a hash of all that the times of a step depend on.
std::string KeyOf(const PartRequest& request) {
  const PlanCluster& cluster = request.cluster;
  JobProto job;
  *job.mutable_neuralnet() = request.job.neuralnet();
  *job.mutable_updater() = request.job.updater();
  *job.mutable_train_one_batch() = request.job.train_one_batch();
  job.set_plain_kernels(request.job.plain_kernels());
  job.set_on_nonfinite(request.job.on_nonfinite());
  job.set_debug(request.job.debug());
  *job.mutable_gpu() = request.job.gpu();
  return Sha256Hex(StrCat(BuildId(), "\n", InstructionSet(), "\n", CpuInfo("model name"), "\n",
                          cluster.cores, " ", cluster.workers, " ", cluster.here(), " ",
                          cluster.threads, "\n", job.SerializeAsString()));
}

// Without a folder that can be written, nothing is kept.
void KeepTimes(const std::string& path, const PartTimes& times) {
  PosixFileSystem files;
  try {
    files.MakeDirectories(FolderOf(path));
    WriteText(&files, path, ToText(times));
  } catch (const WriteError& error) {
    VLOG(1) << "the layers' times are not kept: " << error.what();
  }
}

}  // namespace

std::string ToText(const PartTimes& times) {
  nlohmann::ordered_json json = {{"rest_ms", times.rest_ms}, {"spread", times.spread}};
  json["layers"] = nlohmann::ordered_json::array();
  for (const auto& [name, layer] : times.layers)
    json["layers"].push_back({{"name", name},
                              {"forward_ms", layer.forward},
                              {"backward_ms", layer.backward},
                              {"update_ms", layer.update}});
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::optional<PartTimes> TimesOf(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  const auto number = [](const nlohmann::json& object, const char* name) {
    const auto at = object.find(name);
    if (at == object.end() || !at->is_number()) return -1.0;
    return at->get<double>();
  };
  if (!json.is_object() || !json.contains("layers") || !json["layers"].is_array()) return {};
  PartTimes times;
  times.rest_ms = number(json, "rest_ms");
  times.spread = number(json, "spread");
  bool good = times.rest_ms >= 0 && times.spread >= 0;
  for (const nlohmann::json& layer : json["layers"]) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) return {};
    LayerTimes& of = times.layers[layer["name"].get<std::string>()];
    of.forward = number(layer, "forward_ms");
    of.backward = number(layer, "backward_ms");
    of.update = number(layer, "update_ms");
    good = good && of.forward >= 0 && of.backward >= 0 && of.update >= 0 && std::isfinite(of.sum());
  }
  if (!good || !std::isfinite(times.rest_ms + times.spread)) return {};
  return times;
}

std::vector<PartTimes> KeptTimes::Of(const std::vector<PartRequest>& requests) {
  const std::string folder = CacheFolder();
  std::vector<std::string> paths;
  std::vector<PartTimes> times;
  for (const PartRequest& request : requests) {
    const bool keeps = !folder.empty() && request.job.plugin_size() == 0;  // plugins change
    paths.push_back(keeps ? StrCat(folder, "/", KeyOf(request), ".json") : "");
    if (!keeps || fresh_) continue;
    const std::optional<std::string> text = ReadText(paths.back(), kMostBytes);
    if (auto kept = text ? TimesOf(*text) : std::nullopt) times.push_back(std::move(*kept));
  }
  // Plans compare these times, so they are measured together.
  kept_ = times.size() == requests.size();
  if (kept_) return times;
  if (measures_) measures_();
  times = measured_.Of(requests);
  for (size_t i = 0; i < times.size(); ++i)
    if (!paths[i].empty()) KeepTimes(paths[i], times[i]);
  return times;
}

std::string KeptTimes::source() const {
  return measured_.source() + (kept_ ? ", before (-fresh measures again)" : "");
}

}  // namespace singa
