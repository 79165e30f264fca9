#include "io/checkpoint/retention.h"

#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/file/temporary_name.h"
#include "base/system/failpoint.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_names.h"

namespace singa {
namespace {

// Returns whether `dir` is a checkpoint that may be removed: no link, and with a checkpoint's file.
bool IsOurs(const std::string& dir) {
  std::error_code error;
  return !std::filesystem::is_symlink(dir, error) && HasCheckpointFile(dir).value_or(false);
}

void RemoveAll(FileSystem& fs, const std::string& folder,
               const std::vector<CheckpointEntry>& goes) {
  std::vector<std::string> removed;
  for (const CheckpointEntry& entry : goes) {
    removed.push_back(TemporaryName(folder + "/" + StepName(entry.step)));
    fs.Rename(entry.dir, removed.back());
  }
  fs.SyncDirectory(folder);
  SINGA_FAILPOINT("checkpoint_before_removal");
  for (const std::string& dir : removed) fs.RemoveTree(dir);
}

}  // namespace

void SetBest(FileSystem& fs, const std::string& workspace, int64_t step) {
  const std::string folder = CheckpointFolder(workspace);
  const std::string link = folder + "/" + kBestLink;
  const std::string fresh = TemporaryName(link);
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
  std::exception_ptr unread;  // error of a checkpoint that could not be read
  const auto complete = [&unread](const std::string& dir) {
    try {
      return LooksComplete(dir);
    } catch (const FileError&) {
      unread = std::current_exception();
      return false;
    }
  };
  for (CheckpointEntry& entry : ListCheckpoints(workspace)) {
    if (entry.step > step || !IsOurs(entry.dir)) continue;
    const bool within = counted < keep;
    if (within && complete(entry.dir)) ++counted;
    if (entry.step == step) newest_stays = complete(entry.dir);
    if (!within && entry.step != best) goes.push_back(std::move(entry));
  }
  if (newest_stays && !goes.empty()) RemoveAll(fs, CheckpointFolder(workspace), goes);
  if (unread) std::rethrow_exception(unread);
}

}  // namespace singa
