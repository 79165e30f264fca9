#include "io/checkpoint/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/file/input_file.h"
#include "base/system/descriptor.h"
#include "singa/base/error.h"

namespace singa {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  // With O_NONBLOCK a pipe does not block until it has a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) ThrowInputError(path, "cannot open", errno);
  struct stat status;
  if (::fstat(file.get(), &status) != 0) ThrowInputError(path, "cannot read", errno);
  if (!S_ISREG(status.st_mode)) throw FileError(kExitNoInput, path, "is not a regular file");
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return;
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) ThrowInputError(path, "cannot map", errno);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace singa
