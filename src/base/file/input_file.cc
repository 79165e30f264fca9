#include "base/file/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "singa/base/error.h"

namespace singa {
void ThrowInputError(const std::string& path, const std::string& what, int error) {
  ExitCode code = kExitIo;
  if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP)
    code = kExitNoInput;
  if (error == EACCES || error == EPERM) code = kExitNoPermission;
  throw FileError(code, path, (what.empty() ? "" : what + ": ") + std::strerror(error));
}

InputFile InputFile::Open(const std::string& path) {
  // O_NONBLOCK: open must not wait for the writer of a pipe. Regular files ignore the flag.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) ThrowInputError(path, "", errno);
  InputFile file(path, fd, 0);
  struct stat status;
  if (fstat(fd, &status) != 0) ThrowInputError(path, "", errno);
  if (S_ISDIR(status.st_mode)) throw FileError(kExitNoInput, path, "is a folder, not a file");
  if (!S_ISREG(status.st_mode)) throw FileError(kExitNoInput, path, "is no regular file");
  file.size_ = status.st_size;
  return file;
}

InputFile InputFile::FromMemory(std::string name, std::vector<uint8_t> bytes) {
  InputFile file(std::move(name), -1, static_cast<int64_t>(bytes.size()));
  file.memory_ = std::move(bytes);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(std::exchange(other.size_, 0)),
      memory_(std::move(other.memory_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(memory_, other.memory_);
  return *this;
}

InputFile::~InputFile() {
  if (fd_ >= 0) close(fd_);
}

void InputFile::ReadAt(int64_t offset, void* out, int64_t n) const {
  if (fd_ < 0) {
    if (n > 0) std::memcpy(out, memory_.data() + offset, n);
    return;
  }
  char* to = static_cast<char*>(out);
  while (n > 0) {
    const ssize_t got = pread(fd_, to, n, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) ThrowInputError(name_, "", errno);
    if (got == 0) throw FileError(kExitIo, name_, StrCat("became shorter than ", size_, " bytes"));
    to += got;
    offset += got;
    n -= got;
  }
}

std::vector<uint8_t> InputFile::ReadAll(int64_t limit) const {
  if (size_ > limit)
    throw DataError(name_, -1, StrCat("has ", size_, " bytes, the limit is ", limit));
  std::vector<uint8_t> bytes(size_);
  ReadAt(0, bytes.data(), size_);
  return bytes;
}

}  // namespace singa
