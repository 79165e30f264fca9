// MarkedFiles: the file system, with a mark that goes on with each operation. Writing what is large
// may take long; a disk that does not answer is a stall.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "base/thread/activity_mark.h"

namespace singa {

class MarkedFiles final : public FileSystem {
 public:
  // Both outlive it, and its files.
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
