#include "driver/job/trained_files.h"

#include <filesystem>
#include <memory>

#include "driver/job/workspace.h"
#include "io/checkpoint/checkpoint.h"

namespace singa {
namespace {

std::string Newest(const std::string& workspace, const Warn& warn, const std::string& advice) {
  const std::unique_ptr<Checkpoint> newest = NewestValid(workspace, warn);
  if (!newest) throw FileError(kExitNoInput, CheckpointFolder(workspace), advice);
  return newest->dir();
}

}  // namespace

std::vector<std::string> TrainedFiles(const JobProto& job, const Warn& warn) {
  if (job.checkpoint_path_size() > 0)
    return {job.checkpoint_path().begin(), job.checkpoint_path().end()};
  return {Newest(WorkspacePath(job), warn, "no checkpoint to test; name one by checkpoint_path")};
}

std::string TrainedFile(const std::string& path, const Warn& warn) {
  std::error_code error;
  const bool checkpoint = std::filesystem::exists(path + "/" + kManifestFile, error);
  if (checkpoint || !std::filesystem::is_directory(CheckpointFolder(path), error)) return path;
  return Newest(path, warn, "no checkpoint in it is intact");
}

}  // namespace singa
