// ScratchLayout places the parts of one plan in Context::scratch.
#pragma once

#include <cstdint>

namespace singa {

class ScratchLayout {
 public:
  // Returns the offset of a new part of `bytes` bytes.
  int64_t Add(int64_t bytes) {
    const int64_t offset = bytes_;
    bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return offset;
  }
  int64_t bytes() const { return bytes_; }

 private:
  static constexpr int64_t kAlignment = 64;
  int64_t bytes_ = 0;
};

}  // namespace singa
