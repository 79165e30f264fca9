// RecordedFiles is the real file system below a folder, with a log of all operations. From a log
// and a number of operations, DiskAfter (disk_after.h) makes folders that a disk may hold after
// power loss.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file/file_system.h"

namespace singa {

struct DiskOperation {
  enum Kind {
    kCreate,
    kWrite,
    kTruncate,
    kSyncFile,
    kSyncFolder,
    kRename,
    kMakeFolder,
    kRemove,
    kLink
  };
  Kind kind;
  int file = -1;            // its number, by kCreate; of kCreate, kWrite, kTruncate, kSyncFile
  std::string path = {};    // kWrite: the bytes
  std::string target = {};  // of kRename, kLink
  int64_t bytes = 0;        // of kTruncate
};

class RecordedFiles final : public FileSystem {
 public:
  explicit RecordedFiles(std::string root) : root_(std::move(root)), disk_(root_) {}
  const std::vector<DiskOperation>& log() const { return log_; }

  std::unique_ptr<WritableFile> Create(const std::string& path) override {
    auto file = disk_.Create(path);
    return std::make_unique<File<WritableFile>>(this, NewNumber(path), std::move(file));
  }
  std::unique_ptr<AppendedFile> Append(const std::string& path) override {
    auto file = disk_.Append(path);
    if (NumberOf(path) < 0) NewNumber(path);
    return std::make_unique<Appended>(this, NumberOf(path), std::move(file));
  }
  Descriptor OpenLock(const std::string& path) override {
    if (NumberOf(path) < 0) NewNumber(path);
    return disk_.OpenLock(path);
  }
  void SyncDirectory(const std::string& path) override {
    disk_.SyncDirectory(path);
    Add({.kind = DiskOperation::kSyncFolder, .path = path});
  }
  void Rename(const std::string& from, const std::string& to) override {
    disk_.Rename(from, to);
    Add({.kind = DiskOperation::kRename, .path = from, .target = to});
    std::vector<std::pair<std::string, int>> now;
    for (auto& [path, number] : numbers_) {
      if (Below(path, from))
        now.emplace_back(to + path.substr(from.size()), number);
      else if (!Below(path, to))
        now.emplace_back(path, number);
    }
    numbers_ = std::move(now);
  }
  void MakeDirectories(const std::string& path) override {
    if (path.size() <= root_.size() || std::filesystem::exists(path)) return;
    const std::string parent = FolderOf(path);
    MakeDirectories(parent);
    disk_.MakeDirectories(path);
    Add({.kind = DiskOperation::kMakeFolder, .path = path});
    Add({.kind = DiskOperation::kSyncFolder, .path = parent});
  }
  std::vector<std::string> List(const std::string& path) override { return disk_.List(path); }
  void RemoveTree(const std::string& path) override {
    const auto status = std::filesystem::symlink_status(path);
    if (!std::filesystem::exists(status)) return;
    if (std::filesystem::is_directory(status))
      for (const std::string& name : disk_.List(path)) RemoveTree(path + "/" + name);
    disk_.RemoveTree(path);
    Add({.kind = DiskOperation::kRemove, .path = path});
    std::erase_if(numbers_, [&](const auto& entry) { return entry.first == path; });
  }
  void Symlink(const std::string& target, const std::string& path) override {
    disk_.Symlink(target, path);
    Add({.kind = DiskOperation::kLink, .path = path, .target = target});
  }

 private:
  template <typename Base>
  class File : public Base {
   public:
    File(RecordedFiles* owner, int number, std::unique_ptr<Base> file)
        : owner_(*owner), number_(number), file_(std::move(file)) {}
    void Write(const void* data, size_t bytes) override {
      file_->Write(data, bytes);
      Note(DiskOperation::kWrite, std::string(static_cast<const char*>(data), bytes));
    }
    void Sync() override {
      file_->Sync();
      Note(DiskOperation::kSyncFile);
    }
    void Close() override { file_->Close(); }

   protected:
    void Note(DiskOperation::Kind kind, std::string bytes = "", int64_t size = 0) {
      owner_.Add({.kind = kind, .file = number_, .path = std::move(bytes), .bytes = size});
    }
    RecordedFiles& owner_;
    const int number_;
    const std::unique_ptr<Base> file_;
  };
  class Appended final : public File<AppendedFile> {
   public:
    using File::File;
    int64_t Size() override { return file_->Size(); }
    void Truncate(int64_t bytes) override {
      file_->Truncate(bytes);
      Note(DiskOperation::kTruncate, "", bytes);
    }
  };

  static bool Below(const std::string& path, const std::string& folder) {
    return path == folder || path.starts_with(folder + "/");
  }
  static std::string FolderOf(const std::string& path) {
    return std::filesystem::path(path).parent_path().string();
  }
  void Add(DiskOperation operation) { log_.push_back(std::move(operation)); }
  int NumberOf(const std::string& path) const {
    for (const auto& [known, number] : numbers_)
      if (known == path) return number;
    return -1;
  }
  int NewNumber(const std::string& path) {
    numbers_.emplace_back(path, files_);
    Add({.kind = DiskOperation::kCreate, .file = files_, .path = path});
    return files_++;
  }

  const std::string root_;
  PosixFileSystem disk_;
  std::vector<DiskOperation> log_;
  std::vector<std::pair<std::string, int>> numbers_;  // files by path, now
  int files_ = 0;
};

}  // namespace singa
