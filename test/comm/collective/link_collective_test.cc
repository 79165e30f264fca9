// Tests collective operations by messages. collective_test.cc tests what all backends have in
// common.
#include "comm/collective/link_collective.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/comm/collective_ranks.h"

namespace singa {
namespace {

// A piece is larger than one message.
TEST(LinkCollectiveTest, PiecesMayBeLargerThanAMessage) {
  class LargePieces final : public PieceWork {
   public:
    int64_t floats(int64_t piece) const override { return 100'000 + piece; }
    void Produce(Context&, int64_t piece, float* to) const override {
      std::fill_n(to, floats(piece), static_cast<float>(1 + piece));
    }
    void Consume(Context&, int64_t piece, std::span<float* const> sums) const override {
      EXPECT_EQ(sums[0][0], 3 * static_cast<float>(1 + piece));
      EXPECT_EQ(sums[0][floats(piece) - 1], 3 * static_cast<float>(1 + piece));
      ++consumed;
    }
    mutable std::atomic<int> consumed{0};
  };
  CollectiveRanks ranks(RanksBy::kLinks, 3);
  const LargePieces work;
  ranks.Run([&](Collective& own) {
    Context ctx;
    own.ReduceScatter(ctx, 20, work, {});
    own.Barrier();
  });
  EXPECT_EQ(work.consumed, 20);
  EXPECT_EQ(ranks.links().under_way(), 0u);
}

// The sum has many chunks. Each rank adds up its share of them, and sends the others' parts.
TEST(LinkCollectiveTest, RanksShareTheWorkOfALargeSum) {
  constexpr size_t kFloats = 400'000;
  CollectiveRanks ranks(RanksBy::kLinks, 4);
  ranks.Run([&](Collective& own) {
    std::vector<float> floats(kFloats, 1);
    own.AllReduce(std::span(floats));
    EXPECT_EQ(floats.back(), 4);
  });
  // A rank sends three quarters of the parts to others, and three copies of a quarter of the sums;
  // within 5 %.
  EXPECT_LT(static_cast<double>(ranks.links().most_sent()), 1.05 * 1.5 * kFloats * sizeof(float));
}

// A small sum goes to all at once, unless there are many ranks. A large one goes in large chunks.
TEST(LinkCollectiveTest, ASumTakesFewMessages) {
  struct Case {
    int ranks;
    size_t floats;
    int most_messages;
  };
  for (const auto& [count, floats, most] :
       {Case{4, 100, 3}, Case{9, 100, 8}, Case{2, 4096, 1}, Case{2, 1 << 20, 16}}) {
    SCOPED_TRACE(testing::Message() << count << " ranks, " << floats << " floats");
    CollectiveRanks ranks(RanksBy::kLinks, count);
    ranks.Run([&, all = count, size = floats](Collective& own) {
      std::vector<float> ones(size, 1);
      own.AllReduce(std::span(ones));
      EXPECT_EQ(ones, std::vector<float>(size, static_cast<float>(all)));
    });
    EXPECT_EQ(ranks.links().most_messages(), most);
    EXPECT_EQ(ranks.links().under_way(), 0u);
  }
}

// There are six workers in two processes. The first has nodes w0 + w1 and w2, the second has w3 and
// w4 + w5.
TEST(LinkCollectiveTest, AProcessContributesItsNodesOfTheTree) {
  constexpr int kNumbers = 9000;
  MemoryLinks links(2);
  const std::vector<std::vector<SumNode>> nodes = {{{0, 2}, {2, 3}}, {{3, 4}, {4, 6}}};
  ASSERT_EQ(nodes[0], SumTree(6).NodesOf({0, 3}));
  ASSERT_EQ(nodes[1], SumTree(6).NodesOf({3, 6}));
  std::vector<std::vector<double>> sums(2, std::vector<double>(kNumbers));
  const auto add = [&](int process) {
    LinkCollective own(links[process], nodes);
    std::vector<double> parts;
    for (int node = 0; node < 2; ++node)
      for (int i = 0; i < kNumbers; ++i) parts.push_back((process == node ? 1 : 1e16) * (i + 1));
    own.Await(own.StartAllReduce(parts, std::span(sums[process])));
    std::vector<double> ones = {static_cast<double>(process + 1)};
    own.AllReduceOfRanks(ones);
    EXPECT_EQ(ones[0], 3);
  };
  std::thread other(add, 1);
  add(0);
  other.join();
  for (int i = 0; i < kNumbers; ++i) {
    const double n = i + 1;
    ASSERT_EQ(sums[0][i], (n + (1e16 * n + 1e16 * n)) + n) << i;
  }
  EXPECT_EQ(sums[1], sums[0]);
}

// A tag is used once, so operations of one kind do not take each other's messages.
TEST(LinkCollectiveTest, OperationsOfOneKindMayOverlap) {
  CollectiveRanks ranks(RanksBy::kLinks, 2);
  ranks.Run([](Collective& own) {
    std::vector<double> a(3, own.rank() + 1), b(3, 10 * (own.rank() + 1));
    const auto first = own.StartAllReduce(a, a), second = own.StartAllReduce(b, b);
    own.Await(second);
    own.Await(first);
    EXPECT_EQ(a, std::vector<double>(3, 3));
    EXPECT_EQ(b, std::vector<double>(3, 30));
  });
  EXPECT_EQ(ranks.links().under_way(), 0u);
}

// A rank that is gone when it should answer: LinkWithout throws as ProcessLink does.
class LinkWithout final : public RankLink {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  void Send(int, int64_t tag, std::span<const std::byte> bytes) override {
    sent.emplace_back(tag, bytes.size());
  }
  void Receive(int from, int64_t, std::span<std::byte>) override {
    throw PeerError(StrCat("process ", from, " is gone"));
  }
  void Reserve(const UnderWay&) override {}
  std::vector<std::pair<int64_t, size_t>> sent;
};

TEST(LinkCollectiveTest, AnErrorOfTheLinkIsThrownByWhoWaits) {
  LinkWithout link;
  LinkCollective own(&link, {{{0, 1}}, {{1, 2}}});
  std::vector<double> sum(2, 1);
  const auto operation = own.StartAllReduce(sum, sum);
  EXPECT_THROW(own.Await(operation), PeerError);
}

TEST(LinkCollectiveTest, AnOperationSendsAtOnceByTagsOfItsOwn) {
  LinkWithout link;
  LinkCollective own(&link, {{{0, 1}}, {{1, 2}}});
  std::vector<std::byte> large(RankLink::kMostBytes + 1), small(1);
  own.StartBroadcast(0, large);
  own.StartBroadcast(0, small);
  EXPECT_EQ(link.sent,
            (std::vector<std::pair<int64_t, size_t>>{{0, RankLink::kMostBytes}, {1, 1}, {2, 1}}));
}

}  // namespace
}  // namespace singa
