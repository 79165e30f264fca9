#include "driver/plan/part_exchange.h"

#include <algorithm>

#include "base/thread/counted_time.h"

namespace singa {

void PartExchange::EndOffers(Context&, int tag) {
  meetings_[tag] = ++ended_;
  meeting_.Arrive(part_);
}

void PartExchange::Take(Context& ctx, int tag, int, const Region& to, bool add) {
  {
    const CountedTime counts(&waited_);
    meeting_.Await(meetings_[tag]);
  }
  zeros_.resize(std::max<size_t>(zeros_.size(), to.floats()));
  MoveRegion(ctx, Packed(to, zeros_.data()), to, add);
}

}  // namespace singa
