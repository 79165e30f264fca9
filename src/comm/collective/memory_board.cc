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
  board->changed = layout.Take<std::atomic<uint32_t>>(1).data();
  board->turns = layout.Take<MemoryBoard::Turn>(MemoryBoard::kTurns);
  board->beats = layout.Take<std::atomic<int64_t>>(ranks);
  board->chunks = layout.Take<std::byte>(MemoryBoard::kTurns * ranks * MemoryBoard::kChunkBytes);
  if (size.mailboxes) board->mailboxes = layout.Take<MemoryBoard::Mailbox>(ranks * ranks);
  board->offers = layout.Take<MemoryBoard::Offers>(1).data();
  board->arrived = layout.Take<std::atomic<int32_t>>(size.buffers);
  board->taken = layout.Take<std::atomic<int32_t>>(size.buffers);
  board->offered = layout.Take<std::atomic<int32_t>>(size.buffers);
  if (size.slot_floats > 0) {
    board->ring = layout.Take<MemoryBoard::Ring>(1).data();
    board->parts_here = layout.Take<std::atomic<uint32_t>>(MemoryBoard::kSlots);
    board->turns_done = layout.Take<std::atomic<uint32_t>>(MemoryBoard::kSlots);
    board->slots = layout.Take<float>(MemoryBoard::kSlots * ranks * size.slot_floats);
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
