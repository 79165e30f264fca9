// MarkedFiles is the file system with a mark that advances with each operation. So writing a large
// file is no stall, but a disk that does not answer is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "base/thread/activity_mark.h"

namespace singa {

class MarkedFiles final : public FileSystem {
 public:
  // Both must outlive it and its files.
  MarkedFiles(FileSystem* files, ActivityMark* mark) : mark_(*mark), files_(*files) {}

  std::unique_ptr<WritableFile> Create(const std::string& path) override;
  std::unique_ptr<AppendedFile> Append(const std::string& path) override;
  Descriptor OpenLock(const std::string& path) override;
  void SyncDirectory(const std::string& path) override;
  void Rename(const std::string& from, const std::string& to) override;
  void MakeDirectories(const std::string& path) override;
  std::vector<std::string> List(const std::string& path) override;
  void RemoveTree(const std::string& path) override;
  void Symlink(const std::string& target, const std::string& path) override;

 private:
  ActivityMark& mark_;
  FileSystem& files_;
};

}  // namespace singa
