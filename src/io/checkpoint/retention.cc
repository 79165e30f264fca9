#include "io/checkpoint/retention.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/failpoint.h"
#include "base/sha256.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_names.h"

namespace singa {
namespace {

// A folder that a checkpoint may be in. Others are not ours to remove.
bool IsCheckpointFolder(const std::string& dir) {
  std::error_code error;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(dir, error))) return false;
  for (const char* name : {kManifestFile, kModelFile, kStateFile})
    if (std::filesystem::exists(dir + "/" + name, error)) return true;
  return false;
}

}  // namespace

void SetBest(FileSystem& fs, const std::string& workspace, int64_t step) {
  const std::string folder = CheckpointFolder(workspace);
  const std::string link = folder + "/" + kBestLink;
  const std::string fresh = link + ".tmp." + RandomHex(8);
  fs.Symlink(StepName(step), fresh);
  fs.Rename(fresh, link);
  fs.SyncDirectory(folder);
}

std::optional<int64_t> BestStep(const std::string& workspace) {
  std::error_code error;
  const std::string link = CheckpointFolder(workspace) + "/" + kBestLink;
  const auto target = std::filesystem::read_symlink(link, error);
  if (error) return std::nullopt;
  return StepOf(target.lexically_normal().string());
}

void ApplyRetention(FileSystem& fs, const std::string& workspace, int64_t step, int64_t keep) {
  if (keep == 0) return;
  const auto best = BestStep(workspace);
  std::vector<CheckpointEntry> goes;
  bool newest_stays = false;
  int64_t counted = 0;
  for (CheckpointEntry& entry : ListCheckpoints(workspace)) {
    if (entry.step > step || !IsCheckpointFolder(entry.dir)) continue;
    const bool within = counted < keep;
    if (within && LooksComplete(entry.dir)) ++counted;
    if (entry.step == step) newest_stays = LooksComplete(entry.dir);
    if (!within && entry.step != best) goes.push_back(std::move(entry));
  }
  if (goes.empty() || !newest_stays) return;

  const std::string folder = CheckpointFolder(workspace);
  std::vector<std::string> removed;
  for (const CheckpointEntry& entry : goes) {
    removed.push_back(folder + "/" + StepName(entry.step) + ".tmp." + RandomHex(8));
    fs.Rename(entry.dir, removed.back());
  }
  fs.SyncDirectory(folder);
  SINGA_FAILPOINT("checkpoint_before_removal");
  for (const std::string& dir : removed) fs.RemoveTree(dir);
}

}  // namespace singa
