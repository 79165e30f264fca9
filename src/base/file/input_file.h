// An InputFile reads bytes at any offset of a regular file, or of memory in place of one. Several
// threads may read at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace singa {

// Throws the FileError of a failed read of `path`, by errno's value: kExitNoInput if there is no
// such file, kExitNoPermission or kExitIo. `what`: the operation that failed, for the text; may be
// "".
[[noreturn]] void ThrowInputError(const std::string& path, const std::string& what, int error);

class InputFile {
 public:
  // Throws FileError: kExitNoInput (missing, or no regular file), kExitNoPermission, kExitIo.
  static InputFile Open(const std::string& path);
  static InputFile FromMemory(std::string name, std::vector<uint8_t> bytes);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  const std::string& name() const { return name_; }
  int64_t size() const { return size_; }

  // Reads n bytes. REQUIRES: 0 <= offset, 0 <= n, offset + n <= size(). Throws FileError, also if
  // the file has become shorter since it was opened.
  void ReadAt(int64_t offset, void* out, int64_t n) const;
  // Returns all bytes. Throws DataError if there are more than `limit`.
  std::vector<uint8_t> ReadAll(int64_t limit) const;

 private:
  InputFile(std::string name, int fd, int64_t size)
      : name_(std::move(name)), fd_(fd), size_(size) {}

  std::string name_;
  int fd_ = -1;  // -1: memory_
  int64_t size_ = 0;
  std::vector<uint8_t> memory_;
};

}  // namespace singa
