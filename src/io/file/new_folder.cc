#include "io/file/new_folder.h"

#include <glog/logging.h>

#include <filesystem>
#include <system_error>

#include "base/file/temporary_name.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

// Returns the path to make for `path`: the target if it is a link. The current folder cannot be
// replaced.
std::string NewPathOf(const std::string& path) {
  const fs::path name = fs::path(path).filename();
  if (name == "." || name == "..")
    throw FileError(kExitCantCreate, path, "must be a new folder, such as my_job");
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error)) ? PlaceOf(path).string() : path;
}

}  // namespace

std::string FolderPath(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

void RequireNewFolder(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error) && !(fs::is_directory(path, error) && fs::is_empty(path, error)))
    throw FileError(kExitCantCreate, path, "exists already, and is not an empty folder");
}

NewFolder::NewFolder(FileSystem* files, const std::string& path)
    : files_(files),
      path_(NewPathOf(path)),
      temporary_(TemporaryName(path_)),
      unfinished_(temporary_) {
  files_->MakeDirectories(temporary_);
}

NewFolder::~NewFolder() {
  if (committed_) return;
  try {
    files_->RemoveTree(temporary_);
  } catch (const FileError& error) {
    LOG(ERROR) << error.what();
  }
}

void NewFolder::Commit() {
  files_->SyncDirectory(temporary_);
  files_->Rename(temporary_, path_);
  committed_ = true;
  files_->SyncDirectory(FolderOf(path_));
}

}  // namespace singa
