#include "io/checkpoint/find_checkpoint.h"

#include <filesystem>
#include <system_error>

#include "io/checkpoint/checkpoint_names.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

// Returns the folder for v0.3's .../step<N>-worker<W>; "": `path` has another form.
std::string FolderOfWorkerFile(const std::string& path) {
  const fs::path file(path);
  const std::string name = file.filename().string();
  const size_t end = name.find("-worker");
  if (end == std::string::npos || !StepOf(name.substr(0, end))) return "";
  return (file.parent_path() / name.substr(0, end)).string();
}

bool IsCheckpoint(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::path(folder).lexically_normal();
  const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return fs::exists(path / kManifestFile, error) || StepOf(name.string());
}

}  // namespace

TrainedPath FindTrainedPath(const std::string& path) {
  std::error_code error;
  std::string found = path;
  if (!fs::exists(path, error)) {
    if (error && error != std::errc::no_such_file_or_directory)
      throw FileError(error == std::errc::permission_denied ? kExitNoPermission : kExitNoInput,
                      path, error.message());
    found = FolderOfWorkerFile(path);
    if (found.empty() || !fs::is_directory(found, error))
      throw FileError(kExitNoInput, path, "does not exist");
  }
  if (!fs::is_directory(found, error)) return {TrainedPath::kFile, found};
  if (IsCheckpoint(found)) return {TrainedPath::kCheckpoint, found};
  const std::string inner = CheckpointFolder(found);
  return {TrainedPath::kFolder, fs::is_directory(inner, error) ? inner : found};
}

std::vector<CheckpointEntry> FindCheckpoints(const std::string& path) {
  const TrainedPath found = FindTrainedPath(path);
  if (found.kind == TrainedPath::kFile)
    throw FileError(kExitNoInput, path, "is a file, not a folder with checkpoints");
  if (found.kind == TrainedPath::kCheckpoint) return {{0, found.path}};
  std::vector<CheckpointEntry> entries = ListCheckpointFolder(found.path);
  if (entries.empty()) throw FileError(kExitNoInput, path, "holds no checkpoint yet");
  return entries;
}

std::unique_ptr<Checkpoint> LoadNewest(const std::string& path,
                                       const std::function<void(const std::string&)>& warn) {
  FindCheckpoints(path);  // throws if there is none
  const std::string folder = FindTrainedPath(path).path;
  std::unique_ptr<Checkpoint> newest = NewestValidIn(folder, warn);
  if (!newest)
    throw FileError(
        kExitBadData, folder,
        StrCat("no checkpoint in it is intact; `singa ckpt verify ", folder, "` names the damage"));
  return newest;
}

std::string FindParams(const std::string& path,
                       const std::function<void(const std::string&)>& warn) {
  const TrainedPath found = FindTrainedPath(path);
  return found.kind == TrainedPath::kFolder ? LoadNewest(path, warn)->dir() : found.path;
}

}  // namespace singa
