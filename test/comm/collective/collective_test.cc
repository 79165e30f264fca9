// Tests operations of all ranks of a group, by each backend.
#include "comm/collective/collective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "singa/base/error.h"
#include "support/comm/collective_ranks.h"

namespace singa {
namespace {

class CollectiveTest : public ::testing::TestWithParam<std::tuple<RanksBy, int>> {
 protected:
  CollectiveRanks ranks_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(Backends, CollectiveTest,
                         ::testing::Combine(::testing::Values(RanksBy::kThreads,
                                                              RanksBy::kProcesses, RanksBy::kLinks),
                                            ::testing::Values(1, 2, 3, 5)));

// Returns large and small numbers: another order of additions gives other bits.
template <typename T>
std::vector<T> NumbersOfRank(int rank, size_t n) {
  std::vector<T> numbers(n);
  for (size_t i = 0; i < n; ++i)
    numbers[i] =
        static_cast<T>((rank % 2 ? -1e9 : 1e9) + 1.0 / (1 + rank + static_cast<double>(i)));
  return numbers;
}

template <typename T>
std::vector<T> SumByTree(int ranks, size_t n) {
  std::vector<std::vector<T>> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(NumbersOfRank<T>(rank, n));
  std::vector<T> sum(n);
  AddUpWorkers(
      SumNode{0, ranks}, [&](int rank) { return all[rank].data(); }, static_cast<int64_t>(n),
      sum.data());
  return sum;
}

// The sizes make no, one and many chunks.
TEST_P(CollectiveTest, AllReduceAddsInTheOrderOfTheTree) {
  ranks_.Run([&](Collective& own) {
    for (const size_t n : {0, 1, 7, 2048, 50'001}) {
      std::vector<double> doubles = NumbersOfRank<double>(own.rank(), n);
      std::vector<float> floats = NumbersOfRank<float>(own.rank(), n);
      own.AllReduce(std::span(doubles));
      own.AllReduce(std::span(floats));
      EXPECT_EQ(doubles, SumByTree<double>(own.size(), n));
      EXPECT_EQ(floats, SumByTree<float>(own.size(), n));
    }
  });
  EXPECT_EQ(ranks_.links().under_way(), 0u);
}

std::vector<std::byte> BytesOf(int rank, size_t n, int turn = 0) {
  std::vector<std::byte> bytes(n);
  for (size_t i = 0; i < n; ++i)
    bytes[i] =
        static_cast<std::byte>(static_cast<size_t>(rank) * 37 + i * 11 + static_cast<size_t>(turn));
  return bytes;
}

TEST_P(CollectiveTest, BroadcastGivesAllWhatTheRootHas) {
  ranks_.Run([&](Collective& own) {
    for (int root = 0; root < own.size(); ++root)
      for (const size_t n : {0, 3, 600'000}) {
        std::vector<std::byte> bytes = BytesOf(own.rank(), n);
        own.Broadcast(root, bytes);
        EXPECT_TRUE(bytes == BytesOf(root, n));
      }
  });
}

// Operations of all kinds are under way at the same time.
TEST_P(CollectiveTest, OperationsMayBeStartedBeforeOthersAreDone) {
  ranks_.Run([&](Collective& own) {
    std::vector<double> sum = NumbersOfRank<double>(own.rank(), 9000);
    std::vector<float> floats = NumbersOfRank<float>(own.rank(), 40);
    std::vector<std::byte> news = BytesOf(own.rank(), 50);
    const int last = own.size() - 1;
    const auto first = own.StartAllReduce(sum, sum);
    const auto second = own.StartAllReduce(floats, floats);
    const auto third = own.StartBroadcast(last, news);
    own.Await(third);
    own.Await(first);
    own.Await(second);
    EXPECT_EQ(sum, SumByTree<double>(own.size(), 9000));
    EXPECT_TRUE(news == BytesOf(last, 50));
    EXPECT_EQ(floats, SumByTree<float>(own.size(), 40));
    own.Barrier();
  });
}

class CountedPieces final : public PieceWork {
 public:
  CountedPieces(int rank, std::vector<std::vector<float>>* sums) : rank_(rank), sums_(*sums) {}
  int64_t floats(int64_t piece) const override {
    return 1 + piece * 7 % CollectiveRanks::kSlotFloats;
  }
  void Produce(Context&, int64_t piece, float* to) const override {
    const std::vector<float> numbers = NumbersOfRank<float>(rank_, floats(piece));
    std::ranges::copy(numbers, to);
  }
  void Consume(Context&, int64_t piece, std::span<float* const> sums) const override {
    EXPECT_EQ(sums.size(), 1u);
    EXPECT_TRUE(sums_[piece].empty()) << "twice";
    sums_[piece].assign(sums[0], sums[0] + floats(piece));
  }

 private:
  const int rank_;
  std::vector<std::vector<float>>& sums_;
};

TEST_P(CollectiveTest, ReduceScatterHandsOnEachPieceOnce) {
  constexpr int64_t kPieces = 53;
  std::vector<std::vector<float>> sums[2];
  for (auto& of_turn : sums) of_turn.resize(kPieces);
  ranks_.Run([&](Collective& own) {
    Context ctx;
    std::vector<float> room(CollectiveRanks::kSlotFloats * 4);
    for (auto& of_turn : sums) {
      const CountedPieces work(own.rank(), &of_turn);
      own.ReduceScatter(ctx, kPieces, work, room);
      own.Barrier();
    }
  });
  for (const auto& of_turn : sums)
    for (int64_t piece = 0; piece < kPieces; ++piece)
      EXPECT_EQ(of_turn[piece], SumByTree<float>(ranks_.size(), of_turn[piece].size())) << piece;
}

}  // namespace
}  // namespace singa
