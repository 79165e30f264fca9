#include "base/file/entry_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/file/file_system.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

int OpenAt(int folder, const char* name, int flags) {
  int descriptor;
  do {
    descriptor = ::openat(folder, name, flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

bool IsOurs(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

[[noreturn]] void ThrowOtherUsers(const std::string& path, const char* what, uid_t owner) {
  throw WriteError(kExitNoPermission, path,
                   StrCat(what, " of another user, number ", owner,
                          ", who could lead this job elsewhere: remove it, or take another folder"),
                   EPERM);
}

}  // namespace

EntryPlace::EntryPlace(const std::string& path)
    : path_(path), name_(path), folder_(AT_FDCWD), rooted_(false) {}

EntryPlace::EntryPlace(const std::string& root, int folder, const std::string& path)
    : path_(path), name_("."), folder_(folder), rooted_(true) {
  const fs::path below =
      fs::path(path).lexically_normal().lexically_relative(fs::path(root).lexically_normal());
  std::vector<std::string> names;
  for (const fs::path& name : below)
    if (!name.empty() && name != ".") names.push_back(name.string());
  if (below.empty() || (!names.empty() && names[0] == ".."))
    throw WriteError(kExitCantCreate, path, "is not in " + root, EXDEV);
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    Descriptor next = OpenFolder(names[i].c_str(), O_PATH);
    opened_ = std::move(next);
    folder_ = opened_.get();
  }
  if (!names.empty()) name_ = names.back();
}

// Throws if another user's entry is in a folder that all may write. Anybody may make entries there,
// and keeps them if the folder is sticky.
void EntryPlace::CheckOwner(const struct stat& entry) const {
  struct stat folder;
  if (!rooted_ || IsOurs(entry.st_uid)) return;
  const bool open = ::fstat(folder_, &folder) != 0 || (folder.st_mode & S_IWOTH);
  const bool file = S_ISREG(entry.st_mode);
  if (open || (file && entry.st_nlink > 1))
    ThrowOtherUsers(path_, file ? "is a file" : "is a folder, or in a folder,", entry.st_uid);
}

Descriptor EntryPlace::OpenFolder(const char* name, int flags) const {
  struct stat entry = {};
  if (rooted_ && ::fstatat(folder_, name, &entry, AT_SYMLINK_NOFOLLOW) != 0)
    ThrowWriteError(kExitIo, path_, "cannot open", errno);
  const bool link = S_ISLNK(entry.st_mode);
  if (link && !IsOurs(entry.st_uid)) ThrowOtherUsers(path_, "is behind a link", entry.st_uid);
  // The entry may have been replaced since it was looked at, so the opened one is checked again.
  if (rooted_ && !link) flags |= O_NOFOLLOW;
  Descriptor folder(OpenAt(folder_, name, flags | O_DIRECTORY));
  if (folder.get() < 0 || ::fstat(folder.get(), &entry) != 0)
    ThrowWriteError(kExitIo, path_, "cannot open", errno);
  if (!link) CheckOwner(entry);
  return folder;
}

Descriptor EntryPlace::OpenFolder() const { return OpenFolder(name(), O_RDONLY); }

Descriptor EntryPlace::OpenFile(int flags) const {
  // O_NONBLOCK: open must not wait for the other end of a pipe.
  Descriptor file(OpenAt(folder_, name(), flags | O_NOFOLLOW | O_NONBLOCK));
  struct stat entry;
  if (file.get() < 0) {
    const int error = errno;
    if (error == ELOOP && ::fstatat(folder_, name(), &entry, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(entry.st_mode)) {
      if (!IsOurs(entry.st_uid)) ThrowOtherUsers(path_, "is a link", entry.st_uid);
      throw WriteError(kExitCantCreate, path_, "is a link, must be a file: remove it", error);
    }
    ThrowWriteError(kExitCantCreate, path_, flags & O_CREAT ? "cannot create" : "cannot open",
                    error);
  }
  if (::fstat(file.get(), &entry) != 0) ThrowWriteError(kExitIo, path_, "cannot open", errno);
  if (!S_ISREG(entry.st_mode)) throw WriteError(kExitCantCreate, path_, "is no file", EEXIST);
  CheckOwner(entry);
  return file;
}

}  // namespace singa
