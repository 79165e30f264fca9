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

bool IsIntact(const CheckpointEntry& entry) {
  try {
    return VerifyCheckpoint(entry.dir).empty();
  } catch (const Error&) {
    return false;
  }
}

// Takes the newest intact entry, if any, out of `entries` (newest first).
bool TakeIntact(std::vector<CheckpointEntry>* entries) {
  for (auto it = entries->begin(); it != entries->end(); ++it) {
    if (!IsIntact(*it)) continue;
    entries->erase(it);
    return true;
  }
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
  std::vector<CheckpointEntry> stays, goes;
  int64_t counted = 0;
  for (CheckpointEntry& entry : ListCheckpoints(workspace)) {
    if (entry.step > step) continue;
    const bool within = counted < keep;
    if (within && LooksComplete(entry.dir)) ++counted;
    (within || entry.step == best ? stays : goes).push_back(std::move(entry));
  }
  if (goes.empty() || (!TakeIntact(&stays) && !TakeIntact(&goes))) return;

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
