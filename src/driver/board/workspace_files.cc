#include "driver/board/workspace_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/file/entry_place.h"
#include "base/file/file_system.h"
#include "base/file/input_file.h"

namespace singa {

bool Unchanged(const struct stat& now, const struct stat& before) {
  return now.st_dev == before.st_dev && now.st_ino == before.st_ino &&
         now.st_size == before.st_size && now.st_mtim.tv_sec == before.st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == before.st_mtim.tv_nsec;
}

void WorkspaceFile::ReadTo(int64_t offset, int64_t n, std::string* bytes) const {
  bytes->resize(static_cast<size_t>(n));
  int64_t done = 0;
  while (done < n) {
    const ssize_t got = ::pread(descriptor.get(), bytes->data() + done,
                                static_cast<size_t>(n - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) ThrowInputError("a file of the workspace", "cannot be read", errno);
    if (got == 0) break;
    done += got;
  }
  bytes->resize(static_cast<size_t>(done));
}

std::optional<WorkspaceFile> WorkspaceFiles::Open(const std::string& name) const {
  try {
    const Descriptor root = EntryPlace(folder_).OpenFolder();
    WorkspaceFile file;
    file.descriptor =
        EntryPlace(folder_, root.get(), folder_ + "/" + name).OpenFile(O_RDONLY | O_NOCTTY);
    if (::fstat(file.descriptor.get(), &file.status) != 0)
      ThrowInputError(folder_ + "/" + name, "cannot be read", errno);
    return file;
  } catch (const WriteError& error) {
    std::error_code ignored;
    if (error.error() == ENOENT && std::filesystem::is_directory(folder_, ignored)) return {};
    throw;
  }
}

std::optional<std::string> WorkspaceFiles::Text(const std::string& name, int64_t most_bytes) const {
  try {
    const std::optional<WorkspaceFile> file = Open(name);
    if (!file || file->size() > most_bytes) return {};
    return file->Read(0, file->size());
  } catch (const FileError&) {
    return {};
  }
}

std::vector<std::string> WorkspaceFiles::List(const std::string& name) const {
  try {
    return PosixFileSystem(folder_).List(folder_ + "/" + name);
  } catch (const WriteError&) {
    return {};
  }
}

}  // namespace singa
