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
    EXPECT_TRUE(table[i].by.all());
    next += table[i].size;
  }
  EXPECT_EQ(next, 100000);
  EXPECT_EQ(table.size_of(0), 100000);
  EXPECT_EQ(table.OfParam(1), std::make_pair(last, last + 1));
}

TEST(SliceTableTest, ASliceOfADividedParamHasRowsOfOneWorker) {
  const SliceTable table({{10, 300}, {40}}, {{3, 1}, {}});  // rows 0 to 2, 3 to 5, 6 to 9
  const int64_t ends[] = {900, 1800, 3000};
  int64_t next = 0;
  const auto [first, last] = table.OfParam(0);
  for (int i = first; i < last; ++i) {
    const Slice& slice = table[i];
    const int worker = slice.by.first;
    ASSERT_TRUE(worker >= 0 && worker < 3);
    EXPECT_EQ(slice.by.count, 1);
    EXPECT_EQ(slice.begin, next);
    EXPECT_GE(slice.begin, worker == 0 ? 0 : ends[worker - 1]);
    EXPECT_LE(slice.begin + slice.size, ends[worker]);
    next += slice.size;
  }
  EXPECT_EQ(next, 3000);
  EXPECT_TRUE(table[last].by.all());
}

// Six workers divide a param's rows into two parts, and a batch into three.
TEST(SliceTableTest, WorkersOfAGridContributeToEachPart) {
  const SliceTable table({{10, 300}}, {{2, 3}});
  EXPECT_EQ(table[0].by, (Contributors{0, 2, 3}));
  EXPECT_EQ(table[table.size() - 1].by, (Contributors{1, 2, 3}));
  EXPECT_EQ(table[table.size() - 1].by.Worker(2), 5);
}

TEST(Contributors, NodesAreThoseOfTheWorkersHere) {
  const Contributors odd = {1, 2, 3};  // workers 1, 3 and 5
  using Nodes = std::vector<SumNode>;
  EXPECT_EQ(odd.NodesOf({0, 6}), Nodes({{0, 3}}));
  EXPECT_EQ(odd.NodesOf({0, 3}), Nodes({{0, 1}}));
  EXPECT_EQ(odd.NodesOf({3, 6}), Nodes({{1, 2}, {2, 3}}));
  EXPECT_EQ(odd.NodesOf({0, 4}), Nodes({{0, 2}}));
  EXPECT_EQ(odd.NodesOf({2, 3}), Nodes());
  EXPECT_EQ(odd.NodesOf({0, 0}), Nodes());
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
