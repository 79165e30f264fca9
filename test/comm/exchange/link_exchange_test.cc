// Tests regions between workers of two processes: worker 0 is alone in its process, 1 and 2 share
// theirs.
#include "comm/exchange/link_exchange.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <numeric>
#include <thread>
#include <vector>

#include "support/comm/exchange_turns.h"
#include "support/comm/memory_links.h"

namespace singa {
namespace {

class LinkExchangeTest : public ::testing::Test {
 protected:
  static constexpr int kWorkers = 3, kTags = 2;
  static constexpr int64_t kFloats = 100'000;  // a region takes two messages

  LinkExchangeTest() {
    for (int worker = 0; worker < kWorkers; ++worker) {
      const int process = std::min(worker, 1);
      MemoryExchange& here =
          here_.emplace_back(&boards_[process], &groups_[process], worker, nullptr);
      workers_.emplace_back(&here, LinkOf(process), sizes_, worker, nullptr);
    }
  }
  WorkerLink LinkOf(int process) { return {links_[process], {0, 1, 1}}; }

  const RegionSizes sizes_{kWorkers, kTags, kFloats, [](int, int, int) { return kFloats; }};
  MemoryLinks links_{2};
  MemoryGroup groups_[2] = {MemoryGroup({.ranks = {0, 1}, .group = 3, .here = 1}),
                            MemoryGroup({.ranks = {1, 3}, .group = 3, .here = 2})};
  RegionBoard boards_[2] = {RegionBoard(sizes_, {0, 1}), RegionBoard(sizes_, {1, 3})};
  std::deque<MemoryExchange> here_;
  std::deque<LinkExchange> workers_;
  Context ctx_;
};

// Columns 0 and 1 of a matrix of 3 columns.
TEST_F(LinkExchangeTest, ARegionArrivesInTheReceiversStrides) {
  std::vector<float> from(kFloats / 2 * 3), to(kFloats, 100);
  std::iota(from.begin(), from.end(), 0.f);
  const Region columns{.data = from.data(), .count = kFloats / 2, .stride = 3, .run = 2};
  const Region packed{.data = to.data(), .count = kFloats / 2, .stride = 2, .run = 2};
  workers_[0].Offer(ctx_, 1, 2, columns);
  from.assign(from.size(), -1);  // the link has a copy
  workers_[0].AwaitTaken(1);
  workers_[2].Take(ctx_, 1, 0, packed, true);
  for (int64_t i = 0; i < kFloats; ++i)
    ASSERT_EQ(to[i], 100 + static_cast<float>(i / 2 * 3 + i % 2)) << i;
  EXPECT_EQ(links_.under_way(), 0u);
}

TEST_F(LinkExchangeTest, EachTurnHasItsOwnRegions) {
  ExpectOwnRegions({&workers_[0], &workers_[1], &workers_[2]}, kTags, 100);
  EXPECT_EQ(links_.under_way(), 0u);
}

TEST_F(LinkExchangeTest, CountsTheTimeThatAWorkerWaits) {
  std::vector<float> one = {1};
  const Region region{.data = one.data(), .count = 1, .stride = 1, .run = 1};
  std::thread late([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    Context ctx;
    workers_[0].Offer(ctx, 0, 1, region);
  });
  std::vector<float> got(1);
  workers_[1].Take(ctx_, 0, 0, {.data = got.data(), .count = 1, .stride = 1, .run = 1}, false);
  late.join();
  EXPECT_GE(groups_[1].TakeWait(), 1'000'000);
}

TEST_F(LinkExchangeTest, CountsItsMemory) {
  EXPECT_EQ(LinkExchange::Bytes(sizes_, 0), kFloats * static_cast<int64_t>(sizeof(float)));
}

TEST_F(LinkExchangeTest, KnowsTheBytesThatAreUnderWay) {
  // Two steps, each with two tags.
  constexpr int64_t kRegion = 2 * kTags * kFloats * sizeof(float);
  for (int process = 0; process < 2; ++process) {  // two regions: to, or of, workers 1 and 2
    const RankLink::UnderWay most = LinkExchange::MostUnderWay(LinkOf(process), sizes_);
    EXPECT_EQ(most.bytes, 2 * kRegion);
    EXPECT_EQ(most.messages, 2 * 2 * kTags * 2);
    EXPECT_EQ(most.tags, 2 * kTags * 4 * 2) << "for each pair of places in two processes";
  }
}

}  // namespace
}  // namespace singa
