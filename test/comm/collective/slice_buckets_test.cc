// Tests how slices are put together for an exchange.
#include "comm/collective/slice_buckets.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(Buckets, AreWholeParamsOfWhichTheLastComeFirst) {
  const SliceTable table({{300, 100}, {10}, {2000, 40}, {5}});
  const auto all = BucketsOf(table, 1'000'000'000);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(std::ssize(all[0]), table.size());
  const auto some = BucketsOf(table, 4);
  ASSERT_EQ(some.size(), 4u) << "each has more than 4 floats";
  const auto [first, last] = table.OfParam(2);
  EXPECT_EQ(some[1].front(), first);
  EXPECT_EQ(some[1].back(), last - 1);
  EXPECT_EQ(BucketsOf(table, 50'000).size(), 2u) << "biases go with the weights below them";
  EXPECT_EQ(BucketsOf(table, 100).size(), 3u) << "10 floats do not wait for a large param";
  EXPECT_EQ(MostFloats(table, some), 80'000);
  EXPECT_TRUE(BucketsOf(SliceTable(std::vector<Shape>()), 4).empty());
}

TEST(Buckets, OfASmallNetAreSeveralIfTheJobDoesNotSayHowLarge) {
  const SliceTable table({{300, 100}, {10}, {2000, 40}, {5}});
  AllReduceProto conf;
  EXPECT_EQ(GradientBuckets(table, conf).size(), 2u) << "more than 16384 floats each";
  const SliceTable large({{1000, 300}, {1000, 300}, {1000, 300}, {1000, 300}, {1000, 300}});
  EXPECT_EQ(GradientBuckets(large, conf).size(), 5u) << "more than an eighth each";
  const SliceTable huge({{4000, 1000}, {1000, 200}, {1000, 1500}, {1000, 1000}, {4000, 4000}});
  EXPECT_EQ(GradientBuckets(huge, conf).size(), 4u)
      << "no more than the default of fusion_elements";
  conf.set_fusion_elements(2'097'152);
  EXPECT_EQ(GradientBuckets(table, conf).size(), 1u) << "as the job says";
}

}  // namespace
}  // namespace singa
