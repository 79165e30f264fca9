#include "driver/job/trained_files.h"

#include <algorithm>
#include <utility>

#include "base/file/which_file.h"
#include "driver/workspace/workspace.h"
#include "io/checkpoint/find_checkpoint.h"

namespace singa {
namespace {

std::vector<std::string> NewestOf(const std::string& workspace, const Warn& warn) {
  if (ListCheckpoints(workspace).empty())
    throw FileError(kExitNoInput, CheckpointFolder(workspace),
                    "holds no checkpoint yet; name one by checkpoint_path");
  return {FindParams(workspace, warn)};
}

}  // namespace

TrainedFilesMark::TrainedFilesMark(std::vector<std::string> paths)
    : paths_(std::move(paths)), which_(Which()) {}

std::vector<std::string> TrainedFilesMark::Which() const {
  std::vector<std::string> which;
  for (const std::string& path : paths_) which.push_back(WhichFile(path));
  return which;
}

std::vector<std::string> NamedFiles(const JobProto& job, const Warn& warn) {
  std::vector<std::string> files;
  for (const std::string& path : job.checkpoint_path()) files.push_back(FindParams(path, warn));
  return files;
}

// A file that was missing from the start has changed, too, as it was found before.
bool TrainedFilesMark::Changed() const {
  return std::find(which_.begin(), which_.end(), "") != which_.end() || Which() != which_;
}

std::vector<std::string> FilesToTest(const JobProto& job, const Warn& warn) {
  return job.checkpoint_path_size() > 0 ? NamedFiles(job, warn)
                                        : NewestOf(WorkspacePath(job), warn);
}

std::vector<std::string> TrainedFiles(const JobProto& job, const Warn& warn) {
  const bool trained = !ListCheckpoints(WorkspacePath(job)).empty();
  return trained ? NewestOf(WorkspacePath(job), warn) : FilesToTest(job, warn);
}

std::vector<std::string> FilesToUse(const JobProto& job, const std::string& checkpoint,
                                    const std::vector<std::string>& sets, const Warn& warn) {
  if (!checkpoint.empty()) return {FindParams(checkpoint, warn)};
  const bool named = std::any_of(sets.begin(), sets.end(), [](const std::string& set) {
    return set.starts_with("checkpoint_path");
  });
  return named ? FilesToTest(job, warn) : TrainedFiles(job, warn);
}

}  // namespace singa
