// MemoryExchange is the RegionExchange of workers that share memory. Threads of one process copy
// the regions that they take straight from the other worker's tensors. Between processes a region
// is copied to memory that both have, and from there.
#pragma once

#include "base/thread/activity_mark.h"
#include "comm/collective/memory_group.h"
#include "comm/exchange/region_board.h"

namespace singa {

class MemoryExchange final : public RegionExchange {
 public:
  // The exchange of worker `worker` of the whole group. `group`: the workers that share memory, who
  // wait for each other as they do for sums. `mark`, which may be null, says when the worker waits.
  // All must outlive this.
  MemoryExchange(const RegionBoard* board, MemoryGroup* group, int worker, ActivityMark* mark)
      : board_(*board), group_(*group), worker_(worker), mark_(mark) {}

  void Offer(Context& ctx, int tag, int to, const Region& region) override;
  void Take(Context& ctx, int tag, int from, const Region& to, bool add) override;
  void AwaitTaken(int tag) override;
  // Counts the nanoseconds that the workers of the group wait.
  std::atomic<int64_t>* waited() { return group_.waited(); }

 private:
  void AwaitOpen(const RegionBoard::Offer& offer, bool open, int peer);

  const RegionBoard& board_;
  MemoryGroup& group_;
  const int worker_;
  ActivityMark* const mark_;
};

}  // namespace singa
