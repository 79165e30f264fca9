#include "comm/collective/slice_buckets.h"

#include <algorithm>

namespace singa {

std::vector<std::vector<int>> BucketsOf(const SliceTable& table, int64_t floats) {
  constexpr int64_t kFew = 16;  // so many parts of `floats`, such as a bias, go with the next param
  std::vector<std::vector<int>> buckets;
  int64_t here = 0;
  for (int param = table.params() - 1; param >= 0; --param) {
    const int64_t size = table.size_of(param);
    const bool alone = size > floats && here > floats / kFew;
    if (buckets.empty() || here > floats || alone) {
      buckets.emplace_back();
      here = 0;
    }
    const auto [first, last] = table.OfParam(param);
    for (int s = first; s < last; ++s) buckets.back().push_back(s);
    here += size;
  }
  return buckets;
}

std::vector<std::vector<int>> GradientBuckets(const SliceTable& table, const AllReduceProto& conf) {
  constexpr int64_t kBuckets = 8, kLeast = 1 << 14;  // floats; fewer cost more calls than they hide
  const int64_t share = std::max(kLeast, table.elements() / kBuckets);
  const int64_t most = conf.fusion_elements();
  return BucketsOf(table, conf.has_fusion_elements() ? most : std::min(most, share));
}

int64_t MostFloats(const SliceTable& table, const std::vector<std::vector<int>>& buckets) {
  int64_t most = 0;
  for (const std::vector<int>& bucket : buckets) {
    int64_t floats = 0;
    for (const int s : bucket) floats += table[s].size;
    most = std::max(most, floats);
  }
  return most;
}

}  // namespace singa
