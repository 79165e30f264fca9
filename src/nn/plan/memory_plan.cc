#include "nn/plan/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "base/round_up.h"

namespace singa {

int MemoryPlan::Add(int64_t bytes, int begin, int end) {
  const int tensor = static_cast<int>(places_.size());
  places_.push_back({RoundUp(bytes, kAlignment), 0, begin, end});
  parent_.push_back(tensor);
  return tensor;
}

void MemoryPlan::Alias(int a, int b) {
  a = Root(a);
  b = Root(b);
  if (a == b) return;
  parent_[b] = a;
  places_[a].bytes = std::max(places_[a].bytes, places_[b].bytes);
  places_[a].begin = std::min(places_[a].begin, places_[b].begin);
  places_[a].end = std::max(places_[a].end, places_[b].end);
}

int64_t MemoryPlan::FirstFit(const Interval& place, const std::vector<int>& placed) const {
  int64_t offset = 0;
  for (int i : placed) {  // by offset
    const Interval& other = places_[i];
    if (other.end < place.begin || place.end < other.begin) continue;
    if (other.offset - offset >= place.bytes) break;
    offset = std::max(offset, other.offset + other.bytes);
  }
  return offset;
}

void MemoryPlan::Place(bool reuse) {
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(places_.size()); ++i)
    if (Root(i) == i && places_[i].bytes > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [this](int a, int b) { return places_[a].bytes > places_[b].bytes; });
  std::vector<int> placed;
  for (int i : order) {
    Interval& place = places_[i];
    place.offset = reuse ? FirstFit(place, placed) : unplanned_;
    unplanned_ += place.bytes;
    bytes_ = std::max(bytes_, place.offset + place.bytes);
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), i,
                         [this](int a, int b) { return places_[a].offset < places_[b].offset; }),
        i);
  }
}

}  // namespace singa
