// MemoryCollective is one rank of a MemoryGroup. The ranks of its operations are those that share
// memory; all-reduces of double also include the group's other ranks (MemoryGroup::between).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "base/thread/activity_mark.h"
#include "comm/collective/collective.h"
#include "comm/collective/memory_group.h"
#include "comm/collective/piece_ring.h"

namespace singa {

class MemoryCollective final : public Collective {
 public:
  // `mark`, which may be null, says when the rank waits. Both must outlive this.
  MemoryCollective(MemoryGroup* group, int rank, ActivityMark* mark);

  int rank() const override { return rank_; }
  int size() const override { return group_.size(); }

  void Await(Operation operation) override;
  void ReduceScatter(Context& ctx, int64_t pieces, const PieceWork& work,
                     std::span<float> room) override;
  // Returns a rank whose own numbers [begin, begin + n) of a piece are not finite, counted in the
  // whole group; -1: none of those that share memory. In memory of several processes the sum lies
  // in place of the first rank's numbers. That rank is named if the others' numbers are finite,
  // even if its own are finite too, and only their sum overflows. REQUIRES: PieceWork::Consume of
  // this piece is under way in this thread.
  int NotFiniteRank(const Context& ctx, int64_t piece, int64_t begin, int64_t n) const;

 private:
  struct Started : Request {
    int64_t bytes = 0, at = 0;  // bytes of a rank; bytes that are done
    bool written = false;       // this rank has written its chunk at `at`
    bool summed = false;        // rank 0 has the chunk's sum from `between`, and publishes it next
    bool done = false;
  };

  Operation Start(const Request& request) override;
  bool CanGoOn() const;
  bool GoOn();
  void WriteChunk(Started* one);
  void ReadChunk(Started* one);
  void TakeChunk(Started* one, int turn, int64_t bytes);
  template <typename T>
  void AddUpChunk(const Started& one, int turn, int64_t bytes) const;
  void AddUpBetween(const Started& one, int turn, int64_t bytes);
  void Wait();
  bool All(std::atomic<int64_t> MemoryBoard::Progress::*count, int64_t least) const;

  MemoryGroup& group_;
  const int rank_;
  ActivityMark* const mark_;
  std::array<Started, kMostStarted> started_;  // operation i is at i % kMostStarted
  Operation first_ = 0, next_ = 0;             // all before `first_` are done
  int64_t turn_ = 0;                           // the board's turn of this rank's next chunk
  std::unique_ptr<PieceRing> ring_;            // null: all ranks are threads of this process
};

}  // namespace singa
