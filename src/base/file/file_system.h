// FileSystem writes durable files. It is an interface, so that tests can stop, fail or crash at any
// operation on the disk. Paths are relative to the working directory. Every function throws
// WriteError: 77 without permission, 73 if something cannot be created, 74 for the rest (disk full,
// I/O error). Any thread may call a FileSystem; a WritableFile belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/system/descriptor.h"
#include "singa/base/error.h"

namespace singa {

class EntryPlace;

// The error of an operation that writes. Errors of input files have another type.
class WriteError : public FileError {
 public:
  WriteError(ExitCode code, const std::string& file, const std::string& message, int error)
      : FileError(code, file, message), error_(error) {}
  int error() const { return error_; }  // errno's value; 0: none

 private:
  int error_;
};

// Throws WriteError, with `code` unless errno's value `error` has a better code.
[[noreturn]] void ThrowWriteError(ExitCode code, const std::string& path, const std::string& what,
                                  int error);

// A new file that grows at its end. Its destructor closes it and reports nothing.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual void Write(const void* data, size_t bytes) = 0;
  // Brings the content to the disk. After a failure the content is unknown, even if a second call
  // succeeds: write another file.
  virtual void Sync() = 0;
  virtual void Close() = 0;
};

// An existing or new file; writes go to its end.
class AppendedFile : public WritableFile {
 public:
  virtual int64_t Size() = 0;
  // Cuts the file back to its first `bytes` bytes.
  virtual void Truncate(int64_t bytes) = 0;
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // Creates an empty file. It is an error if `path` exists.
  virtual std::unique_ptr<WritableFile> Create(const std::string& path) = 0;
  // Opens the file at `path`, or creates an empty one. No link is followed.
  virtual std::unique_ptr<AppendedFile> Append(const std::string& path) = 0;
  // Opens a file to lock, for reading and writing, and creates it if it is missing. No link is
  // followed.
  virtual Descriptor OpenLock(const std::string& path) = 0;
  // Brings the names in a folder to the disk: those of files created, renamed and removed.
  virtual void SyncDirectory(const std::string& path) = 0;
  // Renames atomically. Replaces a file or link at `to`.
  virtual void Rename(const std::string& from, const std::string& to) = 0;
  // Makes a folder with its parents, which are durable on return. Existing folders stay unchanged.
  virtual void MakeDirectories(const std::string& path) = 0;
  // Returns the names in a folder, sorted, without "." and "..".
  virtual std::vector<std::string> List(const std::string& path) = 0;
  // Removes a file, a link (not its target) or a folder with its content. Does nothing if there is
  // none.
  virtual void RemoveTree(const std::string& path) = 0;
  virtual void Symlink(const std::string& target, const std::string& path) = 0;
};

// The system's files. With a root, it serves that folder alone, which may be open to other users:
// paths begin with the root, and are looked up from the root's descriptor. Links of other users are
// errors (77), and so are their files and folders in a folder that anybody may write
// (base/file/entry_place.h).
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

// Returns the folder that a path lies in; "." for a name alone.
std::string FolderOf(const std::string& path);

// Returns the place that a path names, absolute and without links and dots. Nothing needs to be
// there.
std::filesystem::path PlaceOf(const std::string& path);

}  // namespace singa
