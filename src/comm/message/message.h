// Message: what one role of a job sends to another: a header, and floats that stay where they are
// until they leave the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "singa/proto/wire.pb.h"

namespace singa {

// Bytes that are shared, and never changed while anybody has them.
class Frame {
 public:
  Frame() = default;
  // `keep` holds the memory of [data, data + size).
  Frame(std::shared_ptr<const void> keep, const void* data, size_t size)
      : keep_(std::move(keep)), data_(data), size_(size) {}
  // A copy.
  static Frame Copy(const void* data, size_t size);

  // REQUIRES: begin + size <= size(). Keeps the whole.
  Frame Part(size_t begin, size_t size) const {
    return {keep_, static_cast<const char*>(data_) + begin, size};
  }

  const void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::shared_ptr<const void> keep_;
  const void* data_ = nullptr;
  size_t size_ = 0;
};

// payload: the floats, encoded, of the parts that have any, in order; each part's lie in one frame.
struct Message {
  WireMessage head;
  std::vector<Frame> payload;
};

// Copies frames into one: each would cost a transport several system calls.
void JoinFrames(std::vector<Frame>* frames);

// Where roles put what they send. Thread-safe where the stub is behind it.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual void Post(Message message) = 0;
};

}  // namespace singa
