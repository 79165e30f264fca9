// BufferSums: a reduce-scatter of buffers that all ranks of a MemoryGroup have, started buffer by
// buffer. The slices of a buffer are added up when all ranks have offered it, by whichever rank is
// free, and handed to a consumer.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/collective/memory_group.h"
#include "comm/collective/slice_table.h"

namespace singa {

class BufferSums {
 public:
  // Takes the sums of one slice: for each of MemoryGroup::nodes() as many floats as the slice has.
  // They lie in the buffer of the node's first rank.
  class Consumer {
   public:
    virtual void Consume(Context& ctx, int slice, std::span<float* const> sums) = 0;

   protected:
    ~Consumer() = default;
  };

  // `table` cuts the buffers. Both outlive it.
  BufferSums(const SliceTable& table, MemoryGroup* group)
      : table_(table), group_(*group), buffers_(group->size()) {}

  // Sets the buffers of one rank; a null one is never offered. Called for each rank before the
  // first Offer; threads may do so at once.
  void Register(int rank, std::vector<float*> buffers) { buffers_[rank] = std::move(buffers); }

  // The ranks' threads call the methods below.

  // A rank's buffer is whole.
  void Offer(int buffer);
  // Adds up slices of buffers that all have offered until none is left.
  void Reduce(Context& ctx, Consumer* consumer);
  // One rank calls it while all others wait: every offered slice was added up.
  void Restart();
  // Where the sum of each slice lies after Reduce, for the first of the nodes; null: not here.
  std::vector<float*> SumsOfFirst() const;

 private:
  int NextSlice();
  void AddUpSlice(Context& ctx, int slice, Consumer* consumer);

  const SliceTable& table_;
  MemoryGroup& group_;
  std::vector<std::vector<float*>> buffers_;  // of each rank
};

}  // namespace singa
