#include "io/file/new_file.h"

#include <glog/logging.h>

#include <filesystem>

#include "singa/base/error.h"

namespace singa {

std::string TargetOf(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw FileError(kExitCantCreate, path, "is there, and is no file that could be replaced");
  return fs::is_symlink(fs::symlink_status(path, error)) ? PlaceOf(path).string() : path;
}

void RemoveLeftOver(FileSystem* files, const std::string& path) {
  const std::string stem = std::filesystem::path(TemporaryStem(path)).filename().string();
  try {
    for (const std::string& name : files->List(FolderOf(path)))
      if (name.starts_with(stem)) files->RemoveTree(FolderOf(path) + "/" + name);
  } catch (const FileError& error) {
    LOG(WARNING) << "an unfinished file may be left behind: " << error.what();
  }
}

NewFile::NewFile(FileSystem* files, const std::string& path)
    : files_(files),
      path_(TargetOf(path)),
      temporary_(TemporaryName(path_)),
      unfinished_(temporary_) {
  file_ = files_->Create(temporary_);
}

NewFile::~NewFile() {
  if (!file_) return;
  file_.reset();
  try {
    files_->RemoveTree(temporary_);
  } catch (const FileError& error) {
    LOG(ERROR) << error.what();
  }
}

void NewFile::Write(std::string_view bytes) {
  constexpr size_t kBuffer = 1 << 20;
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) Flush();
}

void NewFile::Flush() {
  file_->Write(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void NewFile::Commit() {
  Flush();
  file_->Sync();
  file_->Close();
  files_->Rename(temporary_, path_);
  file_.reset();
  files_->SyncDirectory(FolderOf(path_));
}

}  // namespace singa
