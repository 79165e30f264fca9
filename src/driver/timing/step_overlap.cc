#include "driver/timing/step_overlap.h"

#include <algorithm>

namespace singa {

std::vector<Interval> UnionIn(const Interval& window, std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::from);
  std::vector<Interval> apart;
  for (const Interval& each : intervals) {
    const Interval cut = {std::max(each.from, window.from), std::min(each.to, window.to)};
    if (cut.to <= cut.from) continue;
    if (apart.empty() || apart.back().to < cut.from)
      apart.push_back(cut);
    else
      apart.back().to = std::max(apart.back().to, cut.to);
  }
  return apart;
}

int64_t LengthOf(std::span<const Interval> intervals) {
  int64_t sum = 0;
  for (const Interval& each : intervals) sum += each.length();
  return sum;
}

int64_t Overlap(const Interval& time, std::span<const Interval> apart) {
  int64_t sum = 0;
  for (const Interval& each : apart)
    sum += std::max<int64_t>(0, std::min(time.to, each.to) - std::max(time.from, each.from));
  return sum;
}

ExchangeTimes TimesOf(const Interval& window, const std::vector<Interval>& flights,
                      std::span<const std::vector<ExchangeSpan>> spans,
                      std::span<const UpdateSpan> updates) {
  const std::vector<Interval> on_the_way = UnionIn(window, flights);
  int64_t all = 0;     // time of all workers in calls
  int64_t inside = 0;  // the part of it in which gradients are on their way
  for (const std::vector<ExchangeSpan>& of_worker : spans)
    for (const ExchangeSpan& span : of_worker) {
      inside += std::max<int64_t>(0, Overlap(span.time, on_the_way) - span.computing);
      all += span.time.length() - span.computing;
    }
  int64_t updates_inside = 0, all_updates = 0;
  for (const UpdateSpan& update : updates) {
    updates_inside += Overlap(update.time, on_the_way) / update.threads;
    all_updates += update.time.length() / update.threads;
  }
  const auto workers = static_cast<int64_t>(spans.size());
  ExchangeTimes times;
  times.communication = LengthOf(on_the_way);
  times.exposed = std::clamp<int64_t>((inside - updates_inside) / workers, 0, times.communication);
  times.update = all_updates / workers;
  times.worker_wait = std::max<int64_t>(0, all / workers - times.update - times.exposed);
  return times;
}

}  // namespace singa
