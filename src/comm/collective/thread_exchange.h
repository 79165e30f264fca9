// ThreadExchange is the PieceExchange of workers that are threads of one process. A worker copies
// the pieces that it takes straight from the other worker's tensors.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread/activity_mark.h"
#include "comm/collective/memory_group.h"
#include "comm/collective/piece_exchange.h"

namespace singa {

// The pieces that are on offer between the workers of one group. The workers share it.
class PieceBoard {
 public:
  // `group`: the workers, which wait for each other as they do for sums. It must outlive this.
  PieceBoard(MemoryGroup* group, int tags)
      : group_(*group), offers_(std::make_unique<Offer[]>(Offers(*group, tags))) {}

  struct Offer {
    Piece piece;
    // Offers so far, and those that were taken. A piece is on offer while they differ.
    std::atomic<uint32_t> offered{0}, taken{0};

    bool open() const {
      return offered.load(std::memory_order_acquire) != taken.load(std::memory_order_acquire);
    }
  };

  MemoryGroup& group() const { return group_; }
  Offer& offer(int tag, int from, int to) const {
    return offers_[(int64_t{tag} * group_.size() + from) * group_.size() + to];
  }

 private:
  static size_t Offers(const MemoryGroup& group, int tags) {
    return static_cast<size_t>(tags) * group.size() * group.size();
  }

  MemoryGroup& group_;
  const std::unique_ptr<Offer[]> offers_;
};

class ThreadExchange final : public PieceExchange {
 public:
  // The exchange of worker `worker`. `mark`, which may be null, says when it waits. Both must
  // outlive this.
  ThreadExchange(PieceBoard* board, int worker, ActivityMark* mark)
      : board_(*board), worker_(worker), mark_(mark) {}

  void Offer(int tag, int to, const Piece& piece) override;
  void Take(Context& ctx, int tag, int from, const Piece& to, bool add) override;
  void AwaitTaken(int tag) override;

 private:
  void AwaitOpen(const PieceBoard::Offer& offer, bool open, int peer);

  PieceBoard& board_;
  const int worker_;
  ActivityMark* const mark_;
};

}  // namespace singa
