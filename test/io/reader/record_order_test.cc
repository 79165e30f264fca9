#include "io/reader/record_order.h"

#include <gtest/gtest.h>

#include <set>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::vector<int64_t> Take(const OrderOptions& options, int64_t records, int64_t from, int64_t n) {
  RecordOrder order(options, records);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < n; ++i) indices.push_back(order.At(from + i));
  return indices;
}

TEST(RecordOrder, IsTheStoresOwnAndWraps) {
  EXPECT_EQ(Take({}, 3, 0, 7), (std::vector<int64_t>{0, 1, 2, 0, 1, 2, 0}));
}

TEST(RecordOrder, ShufflesEveryEpochAnew) {
  const OrderOptions options{.shuffle = true, .seed = 5, .stream = "data"};
  const auto first = Take(options, 100, 0, 100), second = Take(options, 100, 100, 100);
  EXPECT_NE(first, second);
  EXPECT_EQ(std::set<int64_t>(first.begin(), first.end()).size(), 100u);
  EXPECT_EQ(std::set<int64_t>(second.begin(), second.end()).size(), 100u);
}

TEST(RecordOrder, DependsOnSeedAndStreamAlone) {
  const OrderOptions options{.shuffle = true, .seed = 5, .stream = "data"};
  OrderOptions seed = options, stream = options;
  seed.seed = 6;
  stream.stream = "other";
  EXPECT_EQ(Take(options, 50, 10, 90), Take(options, 50, 10, 90));
  EXPECT_NE(Take(options, 50, 0, 50), Take(seed, 50, 0, 50));
  EXPECT_NE(Take(options, 50, 0, 50), Take(stream, 50, 0, 50));
}

TEST(RecordOrder, PlacesEveryRecordEverywhereEquallyOften) {
  std::vector<int> at_place_0(5);
  for (uint64_t seed = 0; seed < 5000; ++seed)
    ++at_place_0[RecordOrder({.shuffle = true, .seed = seed, .stream = "d"}, 5).At(0)];
  for (int count : at_place_0) EXPECT_NEAR(count, 1000, 120);  // 4 standard deviations
}

TEST(RecordOrder, OfGroupsIsDisjointAndWhole) {
  std::multiset<int64_t> all;
  for (int64_t group = 0; group < 3; ++group) {
    const OrderOptions options{
        .shuffle = true, .seed = 1, .stream = "d", .group = group, .groups = 3};
    RecordOrder order(options, 10);
    for (int64_t i = 0; i < order.epoch_size(); ++i) all.insert(order.At(i));
  }
  EXPECT_EQ(all.size(), 10u);
  EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), 10u);
}

TEST(RecordOrder, RefusesMoreGroupsThanRecords) {
  EXPECT_ERROR(RecordOrder({.groups = 4}, 3), kExitConfig, "3 records", "4 worker groups");
}

TEST(RecordOrder, SkipsOnce) {
  std::set<int64_t> starts;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto order = Take({.random_skip = 3, .seed = seed, .stream = "d"}, 10, 0, 21);
    starts.insert(order[0]);
    for (int i = 1; i < 21; ++i) EXPECT_EQ(order[i], (order[0] + i) % 10);
  }
  EXPECT_EQ(starts, (std::set<int64_t>{0, 1, 2, 3}));
}

TEST(RecordOrder, MaySkipMoreThanAnEpoch) {
  const auto order = Take({.random_skip = 1000, .seed = 3, .stream = "d"}, 7, 0, 3);
  EXPECT_EQ(order[1], (order[0] + 1) % 7);
}

}  // namespace
}  // namespace singa
