// LinkExchange is the RegionExchange of a worker whose group has several processes that share no
// memory. Regions for workers of other processes are packed and sent by a RankLink; those for
// workers of the same process go by a MemoryExchange.
#pragma once

#include <span>
#include <vector>

#include "comm/collective/rank_link.h"
#include "comm/exchange/memory_exchange.h"

namespace singa {

// The ways to the workers of a group.
struct WorkerLink {
  RankLink* link = nullptr;  // null: all workers share memory
  std::vector<int> ranks;    // the link's rank of each worker's process
};

class LinkExchange final : public RegionExchange {
 public:
  // The exchange of worker `worker` of the group. `here`: its exchange with the workers of its
  // process. `mark`, which may be null, says when the worker waits. All must outlive this.
  LinkExchange(MemoryExchange* here, const WorkerLink& link, const RegionSizes& sizes, int worker,
               ActivityMark* mark);

  // Returns the bytes of the exchange of one worker.
  static int64_t Bytes(const RegionSizes& sizes, int worker);
  // Returns the most that one other process has under way to the workers of this one.
  static RankLink::UnderWay MostUnderWay(const WorkerLink& link, const RegionSizes& sizes);

  void Offer(Context& ctx, int tag, int to, const Region& region) override;
  void Take(Context& ctx, int tag, int from, const Region& to, bool add) override;
  void AwaitTaken(int tag) override { here_.AwaitTaken(tag); }

 private:
  bool IsHere(int worker) const { return link_.ranks[worker] == link_.link->rank(); }
  int64_t TagOf(int tag, int from, int to, int64_t turn) const;
  std::span<float> PackedFloats(const Region& region) {
    return std::span(packed_).first(static_cast<size_t>(region.floats()));
  }

  MemoryExchange& here_;
  const WorkerLink link_;
  const std::vector<int> places_;  // of each worker among those of its process
  const int64_t most_workers_;     // of one process
  const RegionSizes& sizes_;
  const int worker_;
  ActivityMark* const mark_;
  std::vector<float> packed_;
  std::vector<int64_t> sent_, received_;  // regions so far, by tag and the other worker
};

}  // namespace singa
