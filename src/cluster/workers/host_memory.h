// HostMemory is zero-filled memory that processes of one host share. One process makes it, and
// others of the same user find it by its place. The system frees it with the last of them, however
// they end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/system/descriptor.h"

namespace singa {

class HostMemory {
 public:
  // A Place tells another process where the memory is: the maker's process id and descriptor, the
  // size, and a random number that the memory holds, so that no other memory is taken for it.
  struct Place {
    int64_t process = 0, descriptor = 0, bytes = 0;
    uint64_t mark = 0;
  };

  // Makes `bytes` bytes. Throws DeviceError.
  explicit HostMemory(int64_t bytes);
  // Maps the memory at `place`. Throws DeviceError if it is not there, or not for this process.
  explicit HostMemory(const Place& place);
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  Place place() const;
  int64_t bytes() const { return bytes_; }
  std::byte* data() const { return memory_ + kHead; }  // aligned to a page

 private:
  static constexpr int64_t kHead = 4096;  // the mark, and padding to a page

  void Map();

  const int64_t bytes_;
  Descriptor file_;  // the maker keeps it open
  std::byte* memory_ = nullptr;
};

}  // namespace singa
