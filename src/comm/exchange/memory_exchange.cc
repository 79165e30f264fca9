#include "comm/exchange/memory_exchange.h"

#include <glog/logging.h>

#include "base/thread/counted_time.h"
#include "base/thread/stopped.h"

namespace singa {

void MemoryExchange::Offer(Context& ctx, int tag, int to, const Region& region) {
  RegionBoard::Offer& offer = board_.offer(tag, worker_, to);
  DCHECK(!offer.open()) << "the last region of the tag was not taken";
  if (float* const memory = board_.memory(tag, worker_, to))
    MoveRegion(ctx, region, Packed(region, memory), false);
  else
    offer.region = region;
  offer.offered.fetch_add(1, std::memory_order_release);
  group_.Tell();
}

void MemoryExchange::Take(Context& ctx, int tag, int from, const Region& to, bool add) {
  RegionBoard::Offer& offer = board_.offer(tag, from, worker_);
  AwaitOpen(offer, true, from);
  float* const memory = board_.memory(tag, from, worker_);
  const Region there = memory ? Packed(to, memory) : offer.region;
  DCHECK_EQ(there.floats(), to.floats());
  MoveRegion(ctx, there, to, add);
  offer.taken.fetch_add(1, std::memory_order_release);
  group_.Tell();
}

void MemoryExchange::AwaitTaken(int tag) {
  for (int to = group_.first(); to < group_.first() + group_.size(); ++to)
    if (to != worker_) AwaitOpen(board_.offer(tag, worker_, to), false, to);
}

// Waits until `offer`, between this worker and `peer`, is open or is not.
void MemoryExchange::AwaitOpen(const RegionBoard::Offer& offer, bool open, int peer) {
  if (group_.stopped()) throw Stopped();
  if (offer.open() == open) return;
  const ActivityMark::Scope waits(mark_, Activity::kAwaitsWorkers);
  const CountedTime counts(group_.waited());
  if (!group_.Await([&] { return offer.open() == open; }))
    group_.ThrowStalled(worker_ - group_.first(), peer - group_.first());
}

}  // namespace singa
