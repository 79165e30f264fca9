// Tests sums over buffers of ranks that share memory.
#include "comm/collective/buffer_sums.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <mutex>
#include <thread>

namespace singa {
namespace {

// SumsBySlice keeps what each slice was handed on with.
class SumsBySlice final : public BufferSums::Consumer {
 public:
  explicit SumsBySlice(const SliceTable& table) : table_(table) {}

  void Consume(Context&, int slice, std::span<float* const> given) override {
    const std::lock_guard lock(mutex_);
    order.push_back(slice);
    for (const float* sum : given) sums[slice].emplace_back(sum, sum + table_[slice].size);
  }

  std::vector<int> order;
  std::map<int, std::vector<std::vector<float>>> sums;  // of each node

 private:
  const SliceTable& table_;
  std::mutex mutex_;
};

// RanksWithBuffers is a group of ranks with a buffer for each param.
struct RanksWithBuffers {
  explicit RanksWithBuffers(SumNode ranks, int whole, const std::vector<Shape>& shapes,
                            const std::vector<ParamDivision>& divisions = {})
      : table(shapes, divisions),
        group({.ranks = ranks, .group = whole, .here = ranks.workers(), .buffers = table.params()}),
        buffers_of(ranks.workers()) {
    for (int rank = 0; rank < group.size(); ++rank) {
      std::vector<BufferSums::Buffer> buffers;
      for (const Shape& shape : shapes) {
        buffers_of[rank].emplace_back(static_cast<size_t>(shape.size()));
        buffers.push_back({buffers_of[rank].back().data()});
      }
      sums.Register(rank, std::move(buffers));
    }
  }
  void Fill(int rank, int param, float value) {
    for (float& x : buffers_of[rank][param]) x = value;
  }
  void OfferAll(int param) {
    for (int rank = 0; rank < group.size(); ++rank) sums.Offer(param);
  }

  const SliceTable table;
  MemoryGroup group;
  std::vector<std::vector<std::vector<float>>> buffers_of;  // by rank and param
  BufferSums sums{table, &group};
  SumsBySlice taken{table};
  Context ctx;
};

const std::vector<Shape> kTwoBuffers = {{3}, {2}};

TEST(BufferSumsTest, ABufferWaitsForTheLastRank) {
  RanksWithBuffers ranks({0, 2}, 2, kTwoBuffers);
  ranks.sums.Offer(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  EXPECT_TRUE(ranks.taken.order.empty());
  ranks.sums.Offer(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  EXPECT_EQ(ranks.taken.order, std::vector<int>{0});
}

// 1e8 + 1 is 1e8 in float32, so that any other order gives 0.
TEST(BufferSumsTest, AddsInTheOrderOfTheTree) {
  RanksWithBuffers ranks({0, 3}, 3, {{2}});
  ranks.Fill(0, 0, 1e8f);
  ranks.Fill(1, 0, -1e8f);
  ranks.Fill(2, 0, 1);
  ranks.OfferAll(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  EXPECT_EQ(ranks.taken.sums.at(0), (std::vector<std::vector<float>>{{1, 1}}));
}

TEST(BufferSumsTest, BuffersAreTakenInTheOrderInWhichTheyWereComplete) {
  RanksWithBuffers ranks({0, 2}, 2, kTwoBuffers);
  ranks.sums.Offer(0);
  ranks.OfferAll(1);
  ranks.sums.Offer(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  EXPECT_EQ(ranks.taken.order, (std::vector<int>{1, 0}));
}

TEST(BufferSumsTest, EachSliceOfALargeBufferIsTakenOnce) {
  RanksWithBuffers ranks({0, 2}, 2, {{2500}});
  ASSERT_EQ(ranks.table.size(), 3);  // uneven: the last one is shorter
  ranks.Fill(0, 0, 2);
  ranks.Fill(1, 0, 3);
  ranks.OfferAll(0);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&] {
      Context ctx;
      ranks.sums.Reduce(ctx, &ranks.taken);
    });
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(ranks.taken.sums.size(), 3u);
  for (const auto& [slice, sums] : ranks.taken.sums)
    EXPECT_EQ(sums, std::vector<std::vector<float>>{std::vector<float>(
                        static_cast<size_t>(ranks.table[slice].size), 5)})
        << slice;
}

// Ranks 1 to 4 of a group of six have the nodes {1}, {2, 3} and {4} of its tree.
TEST(BufferSumsTest, HandsOnTheSumOfEachNodeThatItsRanksHave) {
  RanksWithBuffers ranks({1, 5}, 6, {{1}});
  for (int rank = 0; rank < 4; ++rank) ranks.Fill(rank, 0, static_cast<float>(1 + rank));
  ranks.OfferAll(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  EXPECT_EQ(ranks.taken.sums.at(0), (std::vector<std::vector<float>>{{1}, {5}, {4}}));
}

TEST(BufferSumsTest, FindsTheRankWhoseBufferIsNotFinite) {
  for (int bad = 3; bad < 8; ++bad) {
    RanksWithBuffers ranks({3, 8}, 8, kTwoBuffers);
    ranks.Fill(bad - 3, 0, std::numeric_limits<float>::infinity());
    ranks.OfferAll(0);
    ranks.OfferAll(1);
    ranks.sums.Reduce(ranks.ctx, &ranks.taken);
    EXPECT_EQ(ranks.sums.NotFiniteRank(ranks.ctx, 0), bad);
    EXPECT_EQ(ranks.sums.NotFiniteRank(ranks.ctx, 1), -1);
  }
}

TEST(BufferSumsTest, AfterARestartTheNextStepIsAddedUp) {
  RanksWithBuffers ranks({0, 2}, 2, kTwoBuffers);
  for (int step = 0; step < 2; ++step) {
    for (const int param : {1, 0}) ranks.OfferAll(param);
    ranks.sums.Reduce(ranks.ctx, &ranks.taken);
    ranks.sums.Restart();
  }
  EXPECT_EQ(ranks.taken.order, (std::vector<int>{1, 0, 1, 0}));
}

// The two ranks divide three rows: rank 0 has row 0, and rank 1 has rows 1 and 2.
struct RanksThatDivideAParam : RanksWithBuffers {
  RanksThatDivideAParam() : RanksWithBuffers({0, 2}, 2, {{3, 2}}, {{2, 1}}) {
    sums.Register(0, {{parts[0].data(), 0}});
    sums.Register(1, {{parts[1].data(), 2}});
  }
  std::vector<std::vector<float>> parts = {{1, 2}, {3, 4, 5, 6}};
};

TEST(BufferSumsTest, TheRowsOfOneOwnerAreHandedOnAsTheyAre) {
  RanksThatDivideAParam ranks;
  ranks.OfferAll(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  ASSERT_EQ(ranks.taken.sums.size(), 2u);
  EXPECT_EQ(ranks.taken.sums.at(0), std::vector<std::vector<float>>{ranks.parts[0]});
  EXPECT_EQ(ranks.taken.sums.at(1), std::vector<std::vector<float>>{ranks.parts[1]});
}

TEST(BufferSumsTest, TheRowsOfAnOwnerWaitForAllRanks) {
  RanksThatDivideAParam ranks;
  ranks.sums.Offer(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  EXPECT_TRUE(ranks.taken.order.empty());
}

TEST(BufferSumsTest, SumsLieWithTheFirstRankOrTheOwner) {
  RanksThatDivideAParam divided;
  EXPECT_EQ(divided.sums.SumsOfFirst(),
            (std::vector<float*>{divided.parts[0].data(), divided.parts[1].data()}));
  RanksWithBuffers whole({0, 2}, 2, kTwoBuffers);
  EXPECT_EQ(whole.sums.SumsOfFirst(),
            (std::vector<float*>{whole.buffers_of[0][0].data(), whole.buffers_of[0][1].data()}));
}

// Workers 0 and 1 divide the rows; only worker 1 is here.
TEST(BufferSumsTest, TheRowsOfAnOwnerElsewhereAreLeftOut) {
  RanksWithBuffers ranks({1, 2}, 2, {{3, 2}}, {{2, 1}});
  std::vector<float> own = {3, 4, 5, 6};
  ranks.sums.Register(0, {{own.data(), 2}});
  ranks.OfferAll(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  EXPECT_EQ(ranks.taken.order, std::vector<int>{1});
  EXPECT_EQ(ranks.taken.sums.at(1), std::vector<std::vector<float>>{own});
  EXPECT_EQ(ranks.sums.SumsOfFirst(), (std::vector<float*>{nullptr, own.data()}));
}

// Workers 1 to 3 of four are here. Workers 0 and 2 have row 0, and workers 1 and 3 row 1.
TEST(BufferSumsTest, TheRowsOfAGridAreAddedUpByThoseThatHaveThem) {
  RanksWithBuffers ranks({1, 4}, 4, {{2, 2}}, {{2, 2}});
  std::vector<float> of1 = {1, 2}, of2 = {3, 4}, of3 = {5, 6};
  ranks.sums.Register(0, {{of1.data(), 2}});
  ranks.sums.Register(1, {{of2.data(), 0}});
  ranks.sums.Register(2, {{of3.data(), 2}});
  EXPECT_EQ(ranks.sums.SumsOfFirst(), (std::vector<float*>{of2.data(), of1.data()}));
  ranks.OfferAll(0);
  ranks.sums.Reduce(ranks.ctx, &ranks.taken);
  EXPECT_EQ(ranks.taken.sums.at(0), (std::vector<std::vector<float>>{{3, 4}}));
  EXPECT_EQ(ranks.taken.sums.at(1), (std::vector<std::vector<float>>{{6, 8}}));
}

TEST(BufferSumsTest, AGradientInPiecesHasNoSumHere) {
  RanksWithBuffers ranks({0, 1}, 1, kTwoBuffers);
  ranks.sums.Register(0, {{}, {ranks.buffers_of[0][1].data()}});
  EXPECT_EQ(ranks.sums.SumsOfFirst(),
            (std::vector<float*>{nullptr, ranks.buffers_of[0][1].data()}));
}

}  // namespace
}  // namespace singa
