// ScratchLayout places the parts of one plan in Context::scratch.
#pragma once

#include <cstdint>

#include "base/round_up.h"

namespace singa {

class ScratchLayout {
 public:
  // Returns the offset of a new part of `bytes` bytes.
  int64_t Add(int64_t bytes) {
    const int64_t offset = bytes_;
    bytes_ += RoundUp(bytes, kAlignment);
    return offset;
  }
  // Returns the offset, in floats, of a new part of `n` floats.
  int64_t AddFloats(int64_t n) { return Add(n * kFloat) / kFloat; }
  int64_t bytes() const { return bytes_; }
  int64_t floats() const { return bytes_ / kFloat; }

 private:
  static constexpr int64_t kAlignment = 64, kFloat = sizeof(float);
  int64_t bytes_ = 0;
};

}  // namespace singa
