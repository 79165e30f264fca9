// The seam between the project and the disk that it writes to. Durable files go through it, so that
// tests can stop, fail or crash at any operation. Paths are relative to the working directory.
// Every function throws FileError: 77 without permission, 73 where something cannot be created, 74
// for the rest (disk full, I/O error). Any thread may call; a WritableFile belongs to one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace singa {

// A new file that grows at its end. Its destructor closes it and reports nothing.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual void Write(const void* data, size_t bytes) = 0;
  // Brings the content to the disk. After a failure the content is unknown, whatever a second call
  // would say: write another file.
  virtual void Sync() = 0;
  virtual void Close() = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // An empty file. It is an error if `path` exists.
  virtual std::unique_ptr<WritableFile> Create(const std::string& path) = 0;
  // Brings the names in a folder to the disk: files created, renamed and removed.
  virtual void SyncDirectory(const std::string& path) = 0;
  // Atomic; replaces a file or link at `to`.
  virtual void Rename(const std::string& from, const std::string& to) = 0;
  // With its parents; durable on return. Existing ones are left as they are.
  virtual void MakeDirectories(const std::string& path) = 0;
  // Names in a folder, sorted, without "." and "..".
  virtual std::vector<std::string> List(const std::string& path) = 0;
  // A file, link (not what it points to) or folder with its content; nothing if there is none.
  virtual void RemoveTree(const std::string& path) = 0;
  virtual void Symlink(const std::string& target, const std::string& path) = 0;
};

class PosixFileSystem final : public FileSystem {
 public:
  std::unique_ptr<WritableFile> Create(const std::string& path) override;
  void SyncDirectory(const std::string& path) override;
  void Rename(const std::string& from, const std::string& to) override;
  void MakeDirectories(const std::string& path) override;
  std::vector<std::string> List(const std::string& path) override;
  void RemoveTree(const std::string& path) override;
  void Symlink(const std::string& target, const std::string& path) override;
};

// The place that a path names, whether or not something is there: absolute, without links and dots.
std::filesystem::path PlaceOf(const std::string& path);

}  // namespace singa
