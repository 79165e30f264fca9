// MemoryBoard: the memory by which ranks work together: counters, numbers on their way, and
// mailboxes. Ranks are threads of one process, or of several that map the same memory, each at an
// address of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace singa {

class MemoryBoard {
 public:
  static constexpr int64_t kChunkBytes = 1 << 14;  // that a rank publishes at once
  static constexpr int kTurns = 2;                 // chunks of a rank: one is read, one is written
  static constexpr int kSlots = 8;                 // pieces on their way in a PieceRing

  struct Size {
    int ranks = 1;
    int buffers = 0;          // of BufferSums
    int64_t slot_floats = 0;  // of a PieceRing's slot; 0: no ring
    bool mailboxes = false;   // for messages between two ranks
  };
  static int64_t Bytes(const Size& size);

  MemoryBoard() = default;
  // `memory`: Bytes(size) of it, aligned to 8 bytes, zero-filled by its maker.
  MemoryBoard(const Size& size, std::byte* memory);

  // One collective operation on one chunk at a time: all ranks write, then all read.
  struct Turn {
    std::atomic<uint32_t> arrived, left;  // ranks that have written, and read, in this round
    std::atomic<uint32_t> ready, free;    // rounds that all have written, and read
  };
  // From one rank to another. It is empty when both counts are equal.
  struct Mailbox {
    std::atomic<uint32_t> sent, taken;  // chunks so far
    int64_t bytes;                      // left of the message when this chunk was sent
    std::byte chunk[kChunkBytes];
  };
  // Whole buffers that all ranks have; back to 0 when a step begins.
  struct Offers {
    std::atomic<int32_t> buffers;  // that are offered
    std::atomic<int32_t> open;     // of them, the first that may have slices left
  };
  struct Ring {
    std::atomic<uint32_t> changed;  // one more for each change of the two counts below
    std::atomic<int32_t> threads;   // of a rank of the maker's: pieces are cut for as many
  };

  std::byte* chunk(int turn, int rank) const {
    return chunks.data() + (turn * ranks + rank) * kChunkBytes;
  }
  Mailbox& mailbox(int from, int to) const { return mailboxes[from * ranks + to]; }
  float* slot(int slot, int rank) const {
    return slots.data() + (slot * ranks + rank) * slot_floats;
  }

  int64_t ranks = 1, slot_floats = 0;
  std::atomic<uint32_t>* changed = nullptr;  // one more for each change that a rank may wait for
  std::span<Turn> turns;                     // kTurns
  std::span<std::atomic<int64_t>> beats;     // of each rank: how often it has come somewhere
  std::span<std::byte> chunks;
  std::span<Mailbox> mailboxes;
  Offers* offers = nullptr;
  // For each buffer: ranks whose buffer is whole; its slices that were taken.
  std::span<std::atomic<int32_t>> arrived, taken;
  std::span<std::atomic<int32_t>> offered;  // in turn: 1 + a buffer; 0: none yet
  Ring* ring = nullptr;
  // For each slot of the ring, since the beginning: parts that came; turns that were added up.
  std::span<std::atomic<uint32_t>> parts_here, turns_done;
  std::span<float> slots;
};

}  // namespace singa
