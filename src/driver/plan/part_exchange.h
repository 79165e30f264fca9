// PartExchange stands for the other workers of a group while one worker's part of a net is
// measured. Their regions are zeros. Labels of class 0 are zeros, too.
#pragma once

#include <atomic>
#include <vector>

#include "comm/exchange/region_board.h"
#include "comm/exchange/region_exchange.h"
#include "driver/plan/part_meeting.h"

namespace singa {

class PartExchange final : public RegionExchange {
 public:
  // `meeting` must outlive this.
  PartExchange(const RegionSizes& sizes, PartMeeting* meeting, int part)
      : meeting_(*meeting), part_(part), meetings_(sizes.tags) {}

  void Offer(Context&, int, int, const Region&) override {}
  void EndOffers(Context& ctx, int tag) override;
  // Waits until all parts have ended their offers of the tag.
  void Take(Context& ctx, int tag, int from, const Region& to, bool add) override;
  void AwaitTaken(int) override {}
  // Returns the milliseconds that Take waited since the last call.
  double TakeWait() { return 1e-6 * static_cast<double>(waited_.exchange(0)); }

 private:
  PartMeeting& meeting_;
  const int part_;
  std::vector<float> zeros_;       // as many as the largest region so far
  int64_t ended_ = 0;              // calls of EndOffers
  std::vector<int64_t> meetings_;  // by tag: ended_ after the last call for it
  std::atomic<int64_t> waited_{0};
};

}  // namespace singa
