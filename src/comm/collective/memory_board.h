// MemoryBoard lays out the memory by which ranks work together: counters and chunks of numbers.
// Ranks are threads of one process, or of several that map the same memory, each at an
// address of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread/change_count.h"

namespace singa {

class MemoryBoard {
 public:
  static constexpr int64_t kChunkBytes = 1 << 16;  // most that a rank publishes at once
  static constexpr int kTurns = 2;                 // chunks of a rank: one is read, one is written
  static constexpr int kSlots = 8;                 // pieces of a PieceRing in flight

  struct Size {
    int ranks = 1;
    int buffers = 0;          // of BufferSums
    int64_t slot_floats = 0;  // of a PieceRing's slot; 0: no ring
  };
  static int64_t Bytes(const Size& size);

  MemoryBoard() = default;
  // `memory`: Bytes(size) bytes, aligned to 8 and filled with zeros by their maker.
  MemoryBoard(const Size& size, std::byte* memory);

  // Counts of one rank since the beginning. It alone changes them, in a cache line of its own.
  struct Progress {
    std::atomic<int64_t> written, read;  // turns of collective operations: all write, then all read
    std::atomic<int64_t> parts;          // parts of a PieceRing's pieces that it has written
    std::byte rest[64 - 3 * sizeof(std::atomic<int64_t>)];
  };
  // Counts of BufferSums; BufferSums::Restart sets them back to 0.
  struct Offers {
    std::atomic<int32_t> buffers;  // that all ranks have offered
    std::atomic<int32_t> open;     // index of the first of them that may have slices left
  };
  struct Ring {
    ChangeCount changed;           // of the two counts below
    std::atomic<int32_t> threads;  // threads of a rank of the maker's; all cut pieces for as many
  };

  std::byte* chunk(int turn, int rank) const {
    return chunks.data() + (turn * ranks + rank) * kChunkBytes;
  }
  float* slot(int slot, int rank) const {
    return slots.data() + (slot * ranks + rank) * slot_floats;
  }

  int64_t ranks = 1, slot_floats = 0;
  ChangeCount* changed = nullptr;  // of what a rank may wait for
  std::span<Progress> progress;    // by rank
  std::span<std::byte> chunks;
  Offers* offers = nullptr;
  // By buffer: ranks that have offered it; slices of it that were taken.
  std::span<std::atomic<int32_t>> arrived, taken;
  std::span<std::atomic<int32_t>> offered;  // 1 + each buffer, in the order of offers; 0: none yet
  Ring* ring = nullptr;
  // By slot of the ring, since the beginning: parts that were written; turns that were added up.
  std::span<std::atomic<uint32_t>> parts_here, turns_done;
  std::span<float> slots;
};

}  // namespace singa
