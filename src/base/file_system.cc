#include "base/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Throw(ExitCode otherwise, const std::string& path, const char* what, int error) {
  ExitCode code = otherwise;
  if (error == EACCES || error == EPERM) code = kExitNoPermission;
  if (error == ENOSPC || error == EDQUOT || error == EIO) code = kExitIo;
  throw FileError(code, path, StrCat(what, ": ", std::generic_category().message(error)));
}

int Open(const char* path, int flags) {
  int descriptor;
  do {
    descriptor = ::open(path, flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

class PosixFile final : public WritableFile {
 public:
  explicit PosixFile(std::string path)
      : path_(std::move(path)), descriptor_(Open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL)) {
    if (descriptor_ < 0) Throw(kExitCantCreate, path_, "cannot create", errno);
  }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  ~PosixFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void Write(const void* data, size_t bytes) override {
    const char* p = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::write(descriptor_, p, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) Throw(kExitIo, path_, "cannot write", errno);
      p += written;
      bytes -= static_cast<size_t>(written);
    }
  }

  void Sync() override {
    if (::fsync(descriptor_) != 0) Throw(kExitIo, path_, "cannot sync", errno);
  }

  void Close() override {
    // Linux frees the descriptor even where close is interrupted.
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)
      Throw(kExitIo, path_, "cannot close", errno);
  }

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace

std::unique_ptr<WritableFile> PosixFileSystem::Create(const std::string& path) {
  return std::make_unique<PosixFile>(path);
}

void PosixFileSystem::SyncDirectory(const std::string& path) {
  const int descriptor = Open(path.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) Throw(kExitIo, path, "cannot open", errno);
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  // Some network file systems cannot sync a folder, and say so.
  if (error != 0 && error != EINVAL) Throw(kExitIo, path, "cannot sync", error);
}

void PosixFileSystem::Rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    Throw(kExitCantCreate, to, StrCat("cannot rename ", from, " to it").c_str(), errno);
}

void PosixFileSystem::MakeDirectories(const std::string& path) {
  const fs::path folder = fs::path(path).lexically_normal();
  std::error_code ignored;
  if (folder.empty() || fs::is_directory(folder, ignored)) return;
  const std::string parent = folder.parent_path().string();
  if (!folder.has_filename()) return MakeDirectories(parent);  // "a/b/"
  MakeDirectories(parent);
  if (::mkdir(folder.c_str(), 0777) != 0) {
    const int error = errno;
    if (fs::is_directory(folder, ignored)) return;  // another process was faster
    Throw(kExitCantCreate, path, "cannot create", error);
  }
  SyncDirectory(parent.empty() ? "." : parent);
}

std::vector<std::string> PosixFileSystem::List(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error) Throw(kExitIo, path, "cannot list", error.value());
  std::sort(names.begin(), names.end());
  return names;
}

void PosixFileSystem::RemoveTree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) Throw(kExitIo, path, "cannot remove", error.value());
}

void PosixFileSystem::Symlink(const std::string& target, const std::string& path) {
  if (::symlink(target.c_str(), path.c_str()) != 0)
    Throw(kExitCantCreate, path, "cannot create", errno);
}

std::filesystem::path PlaceOf(const std::string& path) {
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

}  // namespace singa
