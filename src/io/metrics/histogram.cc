#include "io/metrics/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace singa {
namespace {

constexpr double kFirstLimit = 1e-12, kMostLimit = 1e20, kLimitFactor = 1.1;
constexpr double kLastLimit = std::numeric_limits<double>::max();

// Returns the limits of TensorFlow's default histogram: -kLastLimit, ..., 0, 1e-12, 1.1e-12, ...,
// kLastLimit.
std::vector<double> BucketLimits() {
  std::vector<double> positive;
  for (double limit = kFirstLimit; limit < kMostLimit; limit *= kLimitFactor)
    positive.push_back(limit);
  positive.push_back(kLastLimit);
  std::vector<double> limits;
  for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit) limits.push_back(-*limit);
  limits.push_back(0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

// Adds the buckets. An empty one stands for all empty ones beside it, as TensorFlow writes them.
void AddBuckets(const std::vector<double>& limits, const std::vector<int64_t>& counts,
                tensorboard::Histogram* to) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const bool next_empty = i + 1 < counts.size() && counts[i + 1] == 0;
    if (counts[i] == 0 && next_empty) continue;
    to->add_bucket_limit(limits[i]);
    to->add_bucket(static_cast<double>(counts[i]));
  }
}

}  // namespace

tensorboard::Histogram HistogramOf(std::span<const float> values) {
  const std::vector<double> limits = BucketLimits();
  std::vector<int64_t> counts(limits.size());
  double least = kLastLimit, most = -kLastLimit, sum = 0, squares = 0;
  int64_t n = 0;
  for (const float x : values) {
    if (!std::isfinite(x)) continue;
    const double value = x;
    ++counts[std::upper_bound(limits.begin(), limits.end(), value) - limits.begin()];
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
    squares += value * value;
    ++n;
  }
  tensorboard::Histogram histogram;
  histogram.set_min(n > 0 ? least : 0);
  histogram.set_max(n > 0 ? most : 0);
  histogram.set_num(static_cast<double>(n));
  histogram.set_sum(sum);
  histogram.set_sum_squares(squares);
  AddBuckets(limits, counts, &histogram);
  return histogram;
}

}  // namespace singa
