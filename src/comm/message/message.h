// A Message goes from one role of a job to another. It has a header, and floats that stay in place
// until they leave the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "singa/proto/wire.pb.h"

namespace singa {

// A Frame shares bytes with its copies. Nobody changes the bytes while a Frame has them.
class Frame {
 public:
  Frame() = default;
  // `keep` holds the memory of [data, data + size).
  Frame(std::shared_ptr<const void> keep, const void* data, size_t size)
      : keep_(std::move(keep)), data_(data), size_(size) {}
  // Returns a frame of a copy of the bytes.
  static Frame Copy(const void* data, size_t size);

  // Returns a part, which keeps the whole memory. REQUIRES: begin + size <= size().
  Frame Part(size_t begin, size_t size) const {
    return {keep_, static_cast<const char*>(data_) + begin, size};
  }

  const void* data() const { return data_; }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  std::shared_ptr<const void> keep_;
  const void* data_ = nullptr;
  size_t size_ = 0;
};

// payload: the encoded floats of the parts that have any, in order; one part's floats lie in one
// frame.
struct Message {
  WireMessage head;
  std::vector<Frame> payload;
};

// Copies the frames into one, since each frame would cost a transport several system calls.
void JoinFrames(std::vector<Frame>* frames);

// Roles put the messages that they send into an Outbox. The stub's is thread-safe.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual void Post(Message message) = 0;
};

}  // namespace singa
