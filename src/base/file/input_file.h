// InputFile: bytes that can be read at any offset: a regular file, or memory that stands for one.
// Reading is safe from several threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace singa {

// Throws FileError for what went wrong, by errno's value, when `path` was to be read: kExitNoInput
// where there is no such file, kExitNoPermission, kExitIo. `what` says what was tried; "": nothing.
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

  // REQUIRES: 0 <= offset, 0 <= n, offset + n <= size(). Throws FileError, also where the file has
  // become shorter since it was opened.
  void ReadAt(int64_t offset, void* out, int64_t n) const;
  // Throws DataError where there are more than `limit` bytes.
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
