#include "comm/collective/thread_exchange.h"

#include <glog/logging.h>

#include "base/thread/counted_time.h"
#include "base/thread/spin_wait.h"
#include "base/thread/stopped.h"

namespace singa {

void ThreadExchange::Offer(int tag, int to, const Piece& piece) {
  PieceBoard::Offer& offer = board_.offer(tag, worker_, to);
  DCHECK(!offer.open()) << "the last piece of the tag was not taken";
  offer.piece = piece;
  offer.offered.fetch_add(1, std::memory_order_release);
  board_.group().Tell();
}

void ThreadExchange::Take(Context& ctx, int tag, int from, const Piece& to, bool add) {
  PieceBoard::Offer& offer = board_.offer(tag, from, worker_);
  AwaitOpen(offer, true, from);
  DCHECK_EQ(offer.piece.floats(), to.floats());
  MovePiece(ctx, offer.piece, to, add);
  offer.taken.fetch_add(1, std::memory_order_release);
  board_.group().Tell();
}

void ThreadExchange::AwaitTaken(int tag) {
  for (int to = 0; to < board_.group().size(); ++to)
    if (to != worker_) AwaitOpen(board_.offer(tag, worker_, to), false, to);
}

// Waits until `offer`, between this worker and `peer`, is open or is not.
void ThreadExchange::AwaitOpen(const PieceBoard::Offer& offer, bool open, int peer) {
  MemoryGroup& group = board_.group();
  if (group.stopped()) throw Stopped();
  if (offer.open() == open) return;
  const ActivityMark::Scope waits(mark_, Activity::kAwaitsWorkers);
  const CountedTime counts(group.waited());
  const std::atomic<uint32_t>& changed = *group.board().changed;
  for (;;) {
    const uint32_t seen = changed.load(std::memory_order_acquire);
    if (offer.open() == open) return;
    if (!SpinWait(changed, seen, group.size(), &group.stopped(), group.deadline()))
      group.ThrowStalled(worker_, peer);
    if (group.stopped()) throw Stopped();
  }
}

}  // namespace singa
