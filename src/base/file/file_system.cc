#include "base/file/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file/entry_place.h"
#include "base/file/temporary_name.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

constexpr auto& Throw = ThrowWriteError;

[[noreturn]] void ThrowAsNamed(ExitCode otherwise, const std::string& path, const std::string& what,
                               int error) {
  ExitCode code = otherwise;
  if (error == EACCES || error == EPERM) code = kExitNoPermission;
  if (error == ENOSPC || error == EDQUOT || error == EIO || error == EFBIG) code = kExitIo;
  throw WriteError(code, path, StrCat(what, ": ", std::generic_category().message(error)), error);
}

// Returns 0 if the content is on the disk, else the value of errno.
int FsyncOf(const Descriptor& file) {
  while (::fsync(file.get()) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

class PosixFile final : public AppendedFile {
 public:
  PosixFile(std::string path, Descriptor file)
      : path_(std::move(path)), descriptor_(std::move(file)) {}

  void Write(const void* data, size_t bytes) override {
    const char* p = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::write(descriptor_.get(), p, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) Throw(kExitIo, path_, "cannot write", errno);
      p += written;
      bytes -= static_cast<size_t>(written);
    }
  }

  void Sync() override {
    if (const int error = FsyncOf(descriptor_)) Throw(kExitIo, path_, "cannot sync", error);
  }

  void Close() override {
    // Linux frees the descriptor even if close is interrupted.
    if (::close(descriptor_.Release()) != 0 && errno != EINTR)
      Throw(kExitIo, path_, "cannot close", errno);
  }

  int64_t Size() override {
    struct stat status;
    if (::fstat(descriptor_.get(), &status) != 0) Throw(kExitIo, path_, "cannot read", errno);
    return status.st_size;
  }

  void Truncate(int64_t bytes) override {
    while (::ftruncate(descriptor_.get(), bytes) != 0)
      if (errno != EINTR) Throw(kExitIo, path_, "cannot be cut short", errno);
  }

 private:
  std::string path_;
  Descriptor descriptor_;
};

// Syncs a folder. Some network file systems cannot, and return EINVAL.
void SyncFolder(const Descriptor& folder, const std::string& path) {
  const int error = FsyncOf(folder);
  if (error != 0 && error != EINVAL) Throw(kExitIo, path, "cannot sync", error);
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using OpenDir = std::unique_ptr<DIR, CloseFolder>;

OpenDir ToDir(Descriptor folder, const std::string& path) {
  OpenDir dir(::fdopendir(folder.get()));
  if (!dir) Throw(kExitIo, path, "cannot list", errno);
  folder.Release();
  return dir;
}

std::vector<std::string> NamesIn(DIR* dir, const std::string& path) {
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(dir);
    if (!entry && errno != 0) Throw(kExitIo, path, "cannot list", errno);
    if (!entry) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Returns the text of a failed rename, without temporary names, which users do not know.
std::string RenameText(const std::string& from, const std::string& to) {
  if (FinalName(from) != FinalName(to)) return StrCat("cannot rename ", FinalName(from), " to it");
  return FinalName(to) == to ? "the new one cannot take its place" : "cannot be moved away";
}

// Removes an entry. Errors show the entry's own name, temporary or not.
void RemoveEntry(int folder, const char* name, const std::string& path) {
  const auto gone = [] { return errno == ENOENT || errno == ENOTDIR; };
  struct stat entry;
  if (::fstatat(folder, name, &entry, AT_SYMLINK_NOFOLLOW) != 0) {
    if (gone()) return;
    ThrowAsNamed(kExitIo, path, "cannot remove", errno);
  }
  const bool is_folder = S_ISDIR(entry.st_mode);
  if (is_folder) {
    Descriptor inner(::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inner.get() < 0) ThrowAsNamed(kExitIo, path, "cannot remove", errno);
    const OpenDir dir = ToDir(std::move(inner), path);
    for (const std::string& child : NamesIn(dir.get(), path))
      RemoveEntry(::dirfd(dir.get()), child.c_str(), path + "/" + child);
  }
  if (::unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0) != 0 && !gone())
    ThrowAsNamed(kExitIo, path, "cannot remove", errno);
}

}  // namespace

void ThrowWriteError(ExitCode otherwise, const std::string& path, const std::string& what,
                     int error) {
  ThrowAsNamed(otherwise, FinalName(path), what, error);
}

PosixFileSystem::PosixFileSystem(const std::string& root)
    : root_(root), folder_(EntryPlace(root).OpenFolder()) {}

EntryPlace PosixFileSystem::PlaceFor(const std::string& path) const {
  return root_.empty() ? EntryPlace(path) : EntryPlace(root_, folder_.get(), path);
}

std::unique_ptr<WritableFile> PosixFileSystem::Create(const std::string& path) {
  const EntryPlace place = PlaceFor(path);
  return std::make_unique<PosixFile>(path, place.OpenFile(O_WRONLY | O_CREAT | O_EXCL));
}

std::unique_ptr<AppendedFile> PosixFileSystem::Append(const std::string& path) {
  const EntryPlace place = PlaceFor(path);
  return std::make_unique<PosixFile>(path, place.OpenFile(O_WRONLY | O_APPEND | O_CREAT));
}

Descriptor PosixFileSystem::OpenLock(const std::string& path) {
  return PlaceFor(path).OpenFile(O_RDWR | O_CREAT);
}

void PosixFileSystem::SyncDirectory(const std::string& path) {
  SyncFolder(PlaceFor(path).OpenFolder(), path);
}

void PosixFileSystem::Rename(const std::string& from, const std::string& to) {
  const EntryPlace source = PlaceFor(from), target = PlaceFor(to);
  if (::renameat(source.folder(), source.name(), target.folder(), target.name()) != 0)
    Throw(kExitCantCreate, to, RenameText(from, to), errno);
}

void PosixFileSystem::MakeDirectories(const std::string& path) {
  const fs::path folder = fs::path(path).lexically_normal();
  std::error_code ignored;
  if (folder.empty() || fs::is_directory(folder, ignored)) return;
  const std::string parent = folder.parent_path().string();
  if (!folder.has_filename()) return MakeDirectories(parent);  // "a/b/"
  MakeDirectories(parent);
  const EntryPlace place = PlaceFor(folder.string());
  if (::mkdirat(place.folder(), place.name(), 0777) != 0) {
    const int error = errno;
    if (fs::is_directory(folder, ignored)) return;  // another process made it first
    Throw(kExitCantCreate, path, "cannot create", error);
  }
  try {
    SyncDirectory(FolderOf(folder.string()));
  } catch (...) {  // a second try must find no folder, so that it syncs
    ::unlinkat(place.folder(), place.name(), AT_REMOVEDIR);
    throw;
  }
}

std::vector<std::string> PosixFileSystem::List(const std::string& path) {
  return NamesIn(ToDir(PlaceFor(path).OpenFolder(), path).get(), path);
}

void PosixFileSystem::RemoveTree(const std::string& path) {
  const EntryPlace place = PlaceFor(path);
  RemoveEntry(place.folder(), place.name(), path);
}

void PosixFileSystem::Symlink(const std::string& target, const std::string& path) {
  const EntryPlace place = PlaceFor(path);
  if (::symlinkat(target.c_str(), place.folder(), place.name()) != 0)
    Throw(kExitCantCreate, path, "cannot create", errno);
}

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::filesystem::path PlaceOf(const std::string& path) {
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

}  // namespace singa
