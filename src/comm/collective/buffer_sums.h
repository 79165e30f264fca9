// BufferSums runs a reduce-scatter over buffers that all ranks of a MemoryGroup have, buffer by
// buffer. When all ranks have offered a buffer, any free rank adds up its slices and hands each sum
// to a consumer.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "comm/collective/memory_group.h"
#include "comm/collective/slice_table.h"

namespace singa {

class BufferSums {
 public:
  // Takes the sums of one slice: for each node that the ranks here add up, an array of the slice's
  // size. The array lies in the buffer of the node's first rank. Without contributors here there is
  // no call.
  class Consumer {
   public:
    virtual void Consume(Context& ctx, int slice, std::span<float* const> sums) = 0;

   protected:
    ~Consumer() = default;
  };

  // A rank's buffer of one param: elements from `begin` on. data null: it is never offered.
  struct Buffer {
    float* data = nullptr;
    int64_t begin = 0;
    float* at(int64_t element) const { return data ? data + (element - begin) : nullptr; }
  };

  // `table` cuts the buffers. Both must outlive this.
  BufferSums(const SliceTable& table, MemoryGroup* group);

  // Sets the buffers of one rank, by param. Called for each rank before the first Offer; threads
  // may call it concurrently.
  void Register(int rank, std::vector<Buffer> buffers) { buffers_[rank] = std::move(buffers); }

  // The ranks' threads call the methods below.

  // Notes that one more rank's `buffer` is complete.
  void Offer(int buffer);
  // Adds up slices of buffers that all have offered until none is left.
  void Reduce(Context& ctx, Consumer* consumer);
  // Resets all counts for the next step. One rank calls it while all others wait. REQUIRES: every
  // offered slice was added up.
  void Restart();
  // Returns a rank here whose own buffer of a slice is not finite; -1: none, or a buffer is
  // missing. A sum lies in the buffer of its first rank. That rank is named if the other buffers
  // are finite, though it may be only the sum that no float holds. REQUIRES: the slice was added
  // up.
  int NotFiniteRank(const Context& ctx, int slice) const;
  // Returns where the sum of each slice lies after Reduce, for the first of the nodes; null: none
  // is here. REQUIRES: all ranks are registered.
  std::vector<float*> SumsOfFirst() const;

 private:
  int NextSlice();
  // Returns where contributor `place` of a slice, which is here, has it.
  float* At(const Slice& slice, int place) const {
    const int rank = slice.by.Worker(place) - group_.first();
    return buffers_[rank][slice.param].at(slice.begin);
  }
  const std::vector<SumNode>& NodesOf(const Slice& slice) const {
    return slice.by.all() ? group_.nodes() : nodes_.at(slice.by);
  }
  void AddUpSlice(Context& ctx, int slice, Consumer* consumer);

  const SliceTable& table_;
  MemoryGroup& group_;
  std::vector<std::vector<Buffer>> buffers_;  // of each rank
  // The nodes that the ranks here add up of slices to which not all workers contribute.
  std::map<Contributors, std::vector<SumNode>> nodes_;
};

}  // namespace singa
