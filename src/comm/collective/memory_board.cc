#include "comm/collective/memory_board.h"

#include "comm/collective/memory_layout.h"

namespace singa {
namespace {

int64_t LayBoard(const MemoryBoard::Size& size, std::byte* memory, MemoryBoard* board) {
  static_assert(std::atomic<int32_t>::is_always_lock_free);
  static_assert(std::atomic<int64_t>::is_always_lock_free);
  MemoryLayout layout(memory);
  const int64_t ranks = board->ranks = size.ranks;
  board->slot_floats = size.slot_floats;
  board->changed = layout.Allocate<ChangeCount>(1).data();
  board->progress = layout.Allocate<MemoryBoard::Progress>(ranks);
  board->chunks =
      layout.Allocate<std::byte>(MemoryBoard::kTurns * ranks * MemoryBoard::kChunkBytes);
  board->offers = layout.Allocate<MemoryBoard::Offers>(1).data();
  board->arrived = layout.Allocate<std::atomic<int32_t>>(size.buffers);
  board->taken = layout.Allocate<std::atomic<int32_t>>(size.buffers);
  board->offered = layout.Allocate<std::atomic<int32_t>>(size.buffers);
  if (size.slot_floats > 0) {
    board->ring = layout.Allocate<MemoryBoard::Ring>(1).data();
    board->parts_here = layout.Allocate<std::atomic<uint32_t>>(MemoryBoard::kSlots);
    board->turns_done = layout.Allocate<std::atomic<uint32_t>>(MemoryBoard::kSlots);
    board->slots = layout.Allocate<float>(MemoryBoard::kSlots * ranks * size.slot_floats);
  }
  return layout.bytes();
}

}  // namespace

int64_t MemoryBoard::Bytes(const Size& size) {
  MemoryBoard none;
  return LayBoard(size, nullptr, &none);
}

MemoryBoard::MemoryBoard(const Size& size, std::byte* memory) { LayBoard(size, memory, this); }

}  // namespace singa
