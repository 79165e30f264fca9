// PieceRing runs a reduce-scatter among ranks of several processes that share memory. Each rank
// writes its part of a piece into a slot of that memory, and the ranks take turns to add pieces up.
// Slots are used again, so that they stay in the cache. A rank waits when its slot is still in use
// by the piece before it there, and at the end for the parts of its last pieces.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread/activity_mark.h"
#include "base/thread/threads_activity.h"
#include "comm/collective/memory_group.h"

namespace singa {

// A PieceRing does one rank's share. The pieces are the same for all ranks.
class PieceRing {
 public:
  // `mark` may be null. Both must outlive this.
  PieceRing(MemoryGroup* group, int rank, ActivityMark* mark)
      : group_(*group), board_(group->board()), rank_(rank), mark_(mark) {}

  // Computes this rank's part of each piece, and adds up the pieces whose turn it has. Throws as
  // Collective::Await does. Throws what the work throws, after it has stopped the group.
  void Run(Context& ctx, int64_t pieces, const PieceWork& work);
  // As MemoryCollective has it; the rank is that of the ring.
  int NotFiniteRank(const Context& ctx, int64_t piece, int64_t begin, int64_t n) const;

 private:
  static constexpr uint64_t kSlots = MemoryBoard::kSlots;

  // Turns count the pieces of all runs: piece i is turn begin_ + i, in slot turn % kSlots.
  bool Free(uint64_t turn) const {
    return board_.turns_done[turn % kSlots] == static_cast<uint32_t>(turn / kSlots);
  }
  bool Complete(uint64_t turn) const {
    return board_.parts_here[turn % kSlots] ==
           static_cast<uint32_t>(board_.ranks * (turn / kSlots + 1));
  }

  bool CanAdd(int64_t piece) const { return piece < pieces_ && Complete(begin_ + piece); }

  struct Thread;  // a thread of this rank in one Run
  void RunThread(Thread* thread);
  void Compute(Thread* thread, int64_t piece);
  bool AddOne(Thread* thread);
  template <typename Done>
  void Wait(Thread* thread, const Done& done);
  int64_t MineFrom(int64_t piece) const;  // first one, from `piece` on, that this rank adds up
  bool ended() const { return group_.stopped() || overdue_; }

  MemoryGroup& group_;
  const MemoryBoard& board_;
  const int64_t rank_;
  ActivityMark* const mark_;
  std::atomic<bool> overdue_{false};  // a thread has waited for too long
  uint64_t begin_ = 0;
  int64_t pieces_ = 0;
  std::atomic<int64_t> next_{0};    // piece to compute
  std::atomic<int64_t> mine_{0};    // piece to add up
  std::atomic<int64_t> waited_{0};  // nanoseconds of all threads, in this Run
};

}  // namespace singa
