// The seam between the project and the disk that it writes to. Durable files go through it, so that
// tests can stop, fail or crash at any operation. Paths are relative to the working directory.
// Every function throws WriteError: 77 without permission, 73 where something cannot be created, 74
// for the rest (disk full, I/O error). Any thread may call; a WritableFile belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file/descriptor.h"
#include "singa/base/error.h"

namespace singa {

class EntryPlace;

// An operation of the file system that failed. Errors of input files are of another type.
class WriteError : public FileError {
 public:
  WriteError(ExitCode code, const std::string& file, const std::string& message, int error)
      : FileError(code, file, message), error_(error) {}
  int error() const { return error_; }  // errno's value; 0: none

 private:
  int error_;
};

// Throws what a failed operation throws: `code` unless errno's value `error` says it better.
[[noreturn]] void ThrowWriteError(ExitCode code, const std::string& path, const std::string& what,
                                  int error);

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

// A file that was there, or is new; writes go to its end.
class AppendedFile : public WritableFile {
 public:
  virtual int64_t Size() = 0;
  // Cuts it back to its first `bytes`.
  virtual void Truncate(int64_t bytes) = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // An empty file. It is an error if `path` exists.
  virtual std::unique_ptr<WritableFile> Create(const std::string& path) = 0;
  // The file at `path`, or an empty one. No link is followed.
  virtual std::unique_ptr<AppendedFile> Append(const std::string& path) = 0;
  // A file to lock, made when missing, open to read and write. No link is followed.
  virtual Descriptor OpenLock(const std::string& path) = 0;
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

// With a root, the file system of that folder alone, which may be open to other users: paths begin
// with the root, and each is looked up from the root's descriptor. Links of other users are errors
// (77), and so are their files and folders where anybody may put some (base/file/entry_place.h).
class PosixFileSystem final : public FileSystem {
 public:
  PosixFileSystem() = default;
  // Opens `root`, which must be there.
  explicit PosixFileSystem(const std::string& root);

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
  EntryPlace PlaceFor(const std::string& path) const;

  std::string root_;  // "": none
  Descriptor folder_;
};

// The folder that a path lies in, "." of a name alone.
std::string FolderOf(const std::string& path);

// The place that a path names, whether or not something is there: absolute, without links and dots.
std::filesystem::path PlaceOf(const std::string& path);

}  // namespace singa
