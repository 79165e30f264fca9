#include "driver/plan/plan_cache.h"

#include <glog/logging.h>

#include <cstdint>
#include <cstdlib>

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

}  // namespace

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
  return Sha256Hex(StrCat(BuildAndCpu(), "\n", cluster.cores, " ", cluster.workers, " ",
                          cluster.here(), " ", cluster.threads, "\n", job.SerializeAsString()));
}

std::string BuildAndCpu() {
  return StrCat(BuildId(), "\n", InstructionSet(), "\n", CpuInfo("model name"));
}

std::optional<std::string> ReadPlanCache(const std::string& name) {
  const std::string folder = CacheFolder();
  if (folder.empty()) return {};
  return ReadText(StrCat(folder, "/", name), kMostBytes);
}

void WritePlanCache(const std::string& name, const std::string& text) {
  const std::string folder = CacheFolder();
  if (folder.empty()) return;
  PosixFileSystem files;
  try {
    files.MakeDirectories(folder);
    WriteText(&files, StrCat(folder, "/", name), text);
  } catch (const WriteError& error) {
    VLOG(1) << name << " is not kept: " << error.what();
  }
}

}  // namespace singa
