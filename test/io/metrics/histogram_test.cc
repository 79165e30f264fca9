// Tests the buckets of histograms.
#include "io/metrics/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace singa {
namespace {

// Returns the count of the bucket that has `value`.
double CountAt(const tensorboard::Histogram& histogram, double value) {
  for (int i = 0; i < histogram.bucket_size(); ++i)
    if (value < histogram.bucket_limit(i)) return histogram.bucket(i);
  return 0;
}

TEST(Histogram, CountsAndSumsValues) {
  const std::vector<float> values = {-2, 0, 0, 0.5, 3};
  const tensorboard::Histogram found = HistogramOf(values);
  EXPECT_EQ(found.min(), -2);
  EXPECT_EQ(found.max(), 3);
  EXPECT_EQ(found.num(), 5);
  EXPECT_EQ(found.sum(), 1.5);
  EXPECT_EQ(found.sum_squares(), 13.25);
  EXPECT_EQ(CountAt(found, -2), 1);
  EXPECT_EQ(CountAt(found, 0), 2);
  EXPECT_EQ(CountAt(found, 0.5), 1);
  EXPECT_EQ(CountAt(found, 1), 0);
  EXPECT_EQ(CountAt(found, 3), 1);
  EXPECT_LT(found.bucket_size(), 12) << "empty buckets beside each other are one";
}

TEST(Histogram, BucketsAreAFactorOf1Point1Wide) {
  const std::vector<float> values = {1};
  const tensorboard::Histogram found = HistogramOf(values);
  ASSERT_EQ(found.bucket_size(), 3);
  EXPECT_EQ(found.bucket(1), 1);
  EXPECT_LE(found.bucket_limit(0), 1);
  EXPECT_NEAR(found.bucket_limit(1) / found.bucket_limit(0), 1.1, 1e-9);
  EXPECT_EQ(found.bucket_limit(2), std::numeric_limits<double>::max());
}

TEST(Histogram, LeavesOutValuesThatAreNotFinite) {
  const std::vector<float> values = {1, std::nanf(""), INFINITY, -INFINITY};
  EXPECT_EQ(HistogramOf(values).num(), 1);
  EXPECT_EQ(HistogramOf({}).num(), 0);
}

}  // namespace
}  // namespace singa
