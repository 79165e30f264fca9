#include "comm/collective/slice_table.h"

#include <gtest/gtest.h>

#include <numeric>

namespace singa {
namespace {

TEST(SliceTableTest, SlicesAreRowsOfAParamInOrder) {
  const SliceTable table({{1000, 100}, {7}});
  EXPECT_EQ(table.params(), 2);
  EXPECT_EQ(table.elements(), 100007);
  int64_t next = 0;
  const auto [first, last] = table.OfParam(0);
  for (int i = first; i < last; ++i) {
    EXPECT_EQ(table[i].begin, next);
    EXPECT_EQ(table[i].size % 100, 0) << "a part of a row";
    EXPECT_EQ(table[i].owner, -1);
    next += table[i].size;
  }
  EXPECT_EQ(next, 100000);
  EXPECT_EQ(table.size_of(0), 100000);
  EXPECT_EQ(table.OfParam(1), std::make_pair(last, last + 1));
}

TEST(SliceTableTest, ASliceOfADividedParamHasRowsOfOneWorker) {
  const SliceTable table({{10, 300}, {40}}, {3, 1});  // rows 0 to 2, 3 to 5, 6 to 9
  const int64_t ends[] = {900, 1800, 3000};
  int64_t next = 0;
  const auto [first, last] = table.OfParam(0);
  for (int i = first; i < last; ++i) {
    const Slice& slice = table[i];
    ASSERT_TRUE(slice.owner >= 0 && slice.owner < 3);
    EXPECT_EQ(slice.begin, next);
    EXPECT_GE(slice.begin, slice.owner == 0 ? 0 : ends[slice.owner - 1]);
    EXPECT_LE(slice.begin + slice.size, ends[slice.owner]);
    next += slice.size;
  }
  EXPECT_EQ(next, 3000);
  EXPECT_EQ(table[last].owner, -1);
}

TEST(SliceTableTest, RunsHaveAboutEquallyManyElements) {
  const SliceTable table({{4096, 64}});
  std::vector<int> all(table.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int> ends = CutEvenly(table, all, 3);
  ASSERT_EQ(ends.size(), 4u);
  EXPECT_EQ(ends.front(), 0);
  EXPECT_EQ(ends.back(), table.size());
  for (int run = 0; run < 3; ++run) {
    int64_t elements = 0;
    for (int i = ends[run]; i < ends[run + 1]; ++i) elements += table[i].size;
    EXPECT_NEAR(static_cast<double>(elements), table.elements() / 3.0, table[0].size);
  }
}

}  // namespace
}  // namespace singa
