// GroupMemory lays out the memory that workers of a group share across processes of one host:
// values, updater states, each worker's gradients, the verdict on a step, the board of their
// collectives, and regions of features. All of it lies in one block of memory, at the same places
// for each process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/collective/memory_board.h"
#include "comm/collective/slice_table.h"
#include "comm/exchange/region_board.h"
#include "train/apply/replica.h"
#include "train/apply/replica_updates.h"

namespace singa {

class GroupMemory {
 public:
  // Makes the layout for the params of `table`, which must outlive it. `states`: floats that the
  // updater keeps for each element. `memory`: aligned to 64 bytes, zero-filled by its maker; null:
  // only bytes() is of use. `threads`: of each worker, given by the process that made the memory;
  // 0: another made it. `regions`: those of features that the workers offer each other.
  GroupMemory(const SliceTable& table, int workers, int states, std::byte* memory, int threads,
              const RegionSizes& regions = {});

  int64_t bytes() const { return bytes_; }

  float* values(int param) const { return Of(0, param); }
  float* state(int i, int param) const { return Of(1 + i, param); }
  float* gradient(int worker, int param) const { return Of(1 + states_ + worker, param); }
  const MemoryBoard& board() const { return board_; }
  const RegionBoard& regions() const { return regions_; }
  SharedStates shared_states() const;
  SharedVerdict verdict() const { return verdict_; }

 private:
  float* Of(int64_t copy, int param) const {
    return reinterpret_cast<float*>(copies_ + copy * copy_bytes_ + places_[param]);
  }

  const int64_t states_;
  std::vector<int64_t> places_;  // by param: its place in a copy of all params
  int64_t copy_bytes_ = 0, bytes_ = 0;
  std::byte* copies_ = nullptr;
  MemoryBoard board_;
  RegionBoard regions_;
  SharedVerdict verdict_;
  std::span<int64_t> counts_;  // updates by slice
};

}  // namespace singa
