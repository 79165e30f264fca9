#include "comm/message/frame_memory.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace singa {

std::shared_ptr<std::byte[]> FrameMemory::Take(size_t size) {
  const int kind = std::bit_width(std::max<size_t>(size, 1) - 1);
  std::unique_ptr<std::byte[]> block;
  {
    const MutexLock lock(&free_->mutex);
    auto& blocks = free_->blocks[kind];
    if (!blocks.empty()) {
      block = std::move(blocks.back());
      blocks.pop_back();
    }
  }
  if (!block) block = std::make_unique_for_overwrite<std::byte[]>(size_t{1} << kind);
  const auto give_back = [free = free_, kind](std::byte* memory) {
    std::unique_ptr<std::byte[]> back(memory);
    const MutexLock lock(&free->mutex);
    try {
      free->blocks[kind].push_back(std::move(back));
    } catch (const std::bad_alloc&) {  // the block is freed
    }
  };
  return {block.release(), give_back};
}

}  // namespace singa
