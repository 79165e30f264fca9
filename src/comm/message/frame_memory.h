// FrameMemory keeps the memory of frames that nobody has any more, for the frames that follow.
// Large new memory is slow: the system clears each page when it is first used.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/thread/mutex.h"

namespace singa {

// Any thread may use it, and give memory back. The memory may outlive the object.
class FrameMemory {
 public:
  // Returns `size` bytes that are not set.
  std::shared_ptr<std::byte[]> Take(size_t size);

 private:
  struct Free {
    static constexpr int kSizes = 64;

    Mutex mutex;
    // [i]: blocks of 2^i bytes
    std::array<std::vector<std::unique_ptr<std::byte[]>>, kSizes> blocks GUARDED_BY(mutex);
  };

  const std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

}  // namespace singa
