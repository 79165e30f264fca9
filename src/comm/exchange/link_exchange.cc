#include "comm/exchange/link_exchange.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>

#include "base/thread/counted_time.h"
#include "comm/collective/link_tags.h"

namespace singa {
namespace {

int64_t BytesOf(int64_t floats) { return floats * static_cast<int64_t>(sizeof(float)); }

// Returns the floats of the largest region that `worker` offers or takes.
int64_t MostFloats(const RegionSizes& sizes, int worker) {
  int64_t most = 0;
  for (int tag = 0; tag < sizes.tags; ++tag)
    for (int other = 0; other < sizes.workers; ++other)
      if (other != worker)
        most = std::max({most, sizes.floats(tag, worker, other), sizes.floats(tag, other, worker)});
  return most;
}

// Returns the place of each worker among those of its process.
std::vector<int> PlacesOf(const WorkerLink& link) {
  std::map<int, int> count;  // by rank
  std::vector<int> places;
  for (const int rank : link.ranks) places.push_back(count[rank]++);
  return places;
}

// Returns the most workers of one process.
int64_t MostWorkers(const std::vector<int>& places) {
  return 1 + *std::ranges::max_element(places);
}

}  // namespace

int64_t LinkExchange::Bytes(const RegionSizes& sizes, int worker) {
  return BytesOf(MostFloats(sizes, worker));
}

LinkExchange::LinkExchange(MemoryExchange* here, const WorkerLink& link, const RegionSizes& sizes,
                           int worker, ActivityMark* mark)
    : here_(*here),
      link_(link),
      places_(PlacesOf(link)),
      most_workers_(MostWorkers(places_)),
      sizes_(sizes),
      worker_(worker),
      mark_(mark),
      packed_(MostFloats(sizes, worker)),
      sent_(static_cast<size_t>(sizes.tags) * sizes.workers),
      received_(static_cast<size_t>(sizes.tags) * sizes.workers) {}

// A process begins no step before the others have taken its regions of the step before last.
RankLink::UnderWay LinkExchange::MostUnderWay(const WorkerLink& link, const RegionSizes& sizes) {
  constexpr int kSteps = 2;
  std::vector<RankLink::UnderWay> of_process(1 + *std::ranges::max_element(link.ranks));
  for (int to = 0; to < sizes.workers; ++to) {
    if (link.ranks[to] != link.link->rank()) continue;
    for (int from = 0; from < sizes.workers; ++from)
      for (int tag = 0; tag < sizes.tags && link.ranks[from] != link.ranks[to]; ++tag) {
        const int64_t bytes = BytesOf(sizes.floats(tag, from, to));
        of_process[link.ranks[from]].bytes += kSteps * bytes;
        of_process[link.ranks[from]].messages += kSteps * RankLink::MessagesOf(bytes);
      }
  }
  RankLink::UnderWay most = *std::ranges::max_element(of_process, {}, &RankLink::UnderWay::bytes);
  const int64_t workers = MostWorkers(PlacesOf(link));
  most.tags = kSteps * sizes.tags * workers * workers * RankLink::MessagesOf(BytesOf(sizes.most));
  return most;
}

// Each message of each region from one process to another has a tag of its own.
int64_t LinkExchange::TagOf(int tag, int from, int to, int64_t turn) const {
  const int64_t workers = most_workers_;
  const int64_t region =
      ((turn * sizes_.tags + tag) * workers + places_[from]) * workers + places_[to];
  return kRegionTags + region * RankLink::MessagesOf(BytesOf(sizes_.most));
}

void LinkExchange::Offer(Context& ctx, int tag, int to, const Region& region) {
  if (IsHere(to)) return here_.Offer(ctx, tag, to, region);
  MoveRegion(ctx, region, Packed(region, packed_.data()), false);
  const int64_t first = TagOf(tag, worker_, to, sent_[tag * sizes_.workers + to]++);
  link_.link->SendAll(link_.ranks[to], first, std::as_bytes(PackedFloats(region)));
}

void LinkExchange::Take(Context& ctx, int tag, int from, const Region& to, bool add) {
  if (IsHere(from)) return here_.Take(ctx, tag, from, to, add);
  const int64_t first = TagOf(tag, from, worker_, received_[tag * sizes_.workers + from]++);
  {
    const ActivityMark::Scope waits(mark_, Activity::kAwaitsProcesses);
    const CountedTime counts(here_.waited());
    link_.link->ReceiveAll(link_.ranks[from], first, std::as_writable_bytes(PackedFloats(to)));
  }
  MoveRegion(ctx, Packed(to, packed_.data()), to, add);
}

}  // namespace singa
