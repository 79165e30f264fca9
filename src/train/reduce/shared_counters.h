// SharedCounters: the numbers by which the workers of a group work together on a step. A view of
// memory that several processes may share, each at another address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/thread/barrier.h"
#include "train/apply/slice_table.h"

namespace singa {

class SharedCounters {
 public:
  // Numbers of a worker that are added up at once.
  static constexpr int64_t kNumbers = 4096;
  static constexpr int kSlots = 8;  // of a PieceRing

  // What it takes for the params of `table`.
  static int64_t Bytes(const SliceTable& table, int workers);

  SharedCounters() = default;
  // `memory`: aligned to 8 bytes, zero-filled by whoever made it.
  SharedCounters(const SliceTable& table, int workers, std::byte* memory);

  // The first parts are at 0 when a step begins.
  struct Step {
    std::atomic<int32_t> params;  // that are offered
    std::atomic<int32_t> open;    // of them, the first that may have slices left
  };
  struct Ring {
    std::atomic<uint32_t> changed;  // one more for each of the changes below
    std::atomic<int32_t> threads;   // of a worker of the maker's: pieces are cut for them
  };
  Step* step = nullptr;
  Ring* ring = nullptr;
  BarrierNumbers* barrier = nullptr;
  std::atomic<int64_t>* dropped = nullptr;  // 1 + the last step that was; 0: none
  std::atomic<int64_t>* failed = nullptr;   // likewise: a gradient of it is not finite
  std::span<std::atomic<int64_t>> beats;    // of each worker: how often it has come somewhere
  // Of each param: workers whose gradient is there; its slices that were taken.
  std::span<std::atomic<int32_t>> arrived, taken;
  std::span<std::atomic<int32_t>> offered;  // in turn: 1 + a param; 0: none yet
  // Of each slot of the ring, since the beginning: parts that came; turns that were added up.
  std::span<std::atomic<uint32_t>> parts_here, turns_done;
  std::span<int64_t> counts;  // of each slice: updates
  std::span<double> squares;  // of each slice: the sum of squares of its gradient
  std::span<double> numbers;  // kNumbers of each worker
};

}  // namespace singa
