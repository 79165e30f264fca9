// ForwardingFiles is the system's files. Tests that change some of its methods derive from it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file/file_system.h"

namespace singa {

class ForwardingFiles : public FileSystem {
 public:
  std::unique_ptr<WritableFile> Create(const std::string& path) override {
    return disk_.Create(path);
  }
  std::unique_ptr<AppendedFile> Append(const std::string& path) override {
    return disk_.Append(path);
  }
  Descriptor OpenLock(const std::string& path) override { return disk_.OpenLock(path); }
  void SyncDirectory(const std::string& path) override { disk_.SyncDirectory(path); }
  void Rename(const std::string& from, const std::string& to) override { disk_.Rename(from, to); }
  void MakeDirectories(const std::string& path) override { disk_.MakeDirectories(path); }
  std::vector<std::string> List(const std::string& path) override { return disk_.List(path); }
  void RemoveTree(const std::string& path) override { disk_.RemoveTree(path); }
  void Symlink(const std::string& target, const std::string& path) override {
    disk_.Symlink(target, path);
  }

 private:
  PosixFileSystem disk_;
};

}  // namespace singa
