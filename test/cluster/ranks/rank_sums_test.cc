// Tests the memory that sums over processes need. Tests of rank_updates.h have their numbers.
#include "cluster/ranks/rank_sums.h"

#include <gtest/gtest.h>

#include "comm/codec/identity.h"
#include "comm/collective/slice_buckets.h"

namespace singa::rank_sums {
namespace {

TEST(RankSums, MemoryIsThatOfSumsAndWhatComes) {
  const SliceTable table(std::vector<Shape>{{4000}, {1000}, {1000}});
  const std::vector<std::vector<int>> buckets = BucketsOf(table, 1);
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(RankSums::Bytes(table, Identity(), buckets, 2, 1), 4 * (3000 + 2000 + 500));
  EXPECT_EQ(RankSums::Bytes(table, Identity(), buckets, 4, 1), 4 * (1500 + 3 * (1000 + 250)));
  EXPECT_EQ(RankSums::Bytes(table, Identity(), buckets, 2, 2), 4 * (3000 + 4000 + 1000));
}

}  // namespace
}  // namespace singa::rank_sums
