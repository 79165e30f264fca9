// MappedFile maps a file's bytes into memory, read-only. They are read from disk when first
// accessed. The file must not shrink meanwhile; it may be renamed or removed.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace singa {

class MappedFile {
 public:
  // Maps the file. Throws FileError: kExitNoInput (missing, or no regular file), kExitNoPermission,
  // kExitIo.
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace singa
