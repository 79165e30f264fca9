// GroupMemory: what the workers of a group have in common where they are in several processes of
// one host: values, updater's states, each worker's gradients, and the numbers by which they add
// up. All of it lies in one piece of memory, at the same places for each process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/apply/local_updates.h"
#include "train/apply/replica.h"
#include "train/apply/slice_table.h"
#include "train/reduce/shared_counters.h"

namespace singa {

class GroupMemory {
 public:
  // Of the params of `table`, which outlives it; `states`: floats that the updater keeps for each
  // of theirs. `memory`: aligned to 64 bytes, zero-filled at first; null: to know bytes() alone.
  // `threads`: of a worker of the process that made the memory, which says so before others see it;
  // 0: another process has made it.
  GroupMemory(const SliceTable& table, int workers, int states, std::byte* memory, int threads);

  int64_t bytes() const { return bytes_; }

  float* values(int param) const { return Of(0, param); }
  float* state(int i, int param) const { return Of(1 + i, param); }
  float* gradient(int worker, int param) const { return Of(1 + states_ + worker, param); }
  // Of a PieceRing: SliceTable::kMost floats.
  float* slot(int slot, int worker) const {
    return reinterpret_cast<float*>(memory_ + slots_) +
           (slot * workers_ + worker) * SliceTable::kMost;
  }
  const SharedCounters& board() const { return board_; }
  // The parts of this memory that the updates of the group share.
  SharedStates shared_states() const;
  SharedVerdict verdict() const { return {board_.squares, board_.dropped, board_.failed}; }

 private:
  float* Of(int64_t copy, int param) const {
    return reinterpret_cast<float*>(memory_ + floats_ + copy * copy_bytes_ + places_[param]);
  }

  std::byte* const memory_;
  const int64_t workers_, states_;
  std::vector<int64_t> places_;  // of each param, in a copy of all
  int64_t copy_bytes_ = 0, floats_ = 0, slots_ = 0, bytes_ = 0;
  SharedCounters board_;
};

}  // namespace singa
