// StalenessCounts counts how stale gradients were. A gradient's staleness is the number of updates,
// by other worker groups, that its slice went through after the values that it was computed from.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace singa {

struct StalenessCounts {
  static constexpr int64_t kMost = 31;
  // Numbers of updates of slices by staleness; the last element counts kMost and more.
  std::array<int64_t, kMost + 1> updates = {};
  int64_t total = 0;  // updates
  double sum = 0;
  int64_t most = 0;

  void Count(int64_t staleness) {
    ++updates[std::clamp<int64_t>(staleness, 0, kMost)];
    ++total;
    sum += static_cast<double>(staleness);
    most = std::max(most, staleness);
  }
  // REQUIRES: total > 0.
  double mean() const { return sum / static_cast<double>(total); }
  // Returns `updates` up to the last element that is not 0.
  std::vector<int64_t> Histogram() const {
    auto end = updates.end();
    while (end != updates.begin() && end[-1] == 0) --end;
    return {updates.begin(), end};
  }
};

}  // namespace singa
