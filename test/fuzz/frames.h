// FrameReader reads the input of a fuzz target as bytes, and as frames with a length of two bytes
// before each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "comm/message/message.h"

namespace singa {

class FrameReader {
 public:
  FrameReader(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool empty() const { return size_ == 0; }
  // Returns the next byte; 0 at the end of the input.
  uint8_t Byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  // Returns the next frame, cut at the end of the input.
  Frame Next() {
    size_t bytes = Byte();
    bytes = std::min(bytes + 256 * Byte(), size_);
    const Frame frame = Frame::Copy(data_, bytes);
    data_ += bytes;
    size_ -= bytes;
    return frame;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace singa
