// Tests a reduce-scatter among ranks of several processes. Each rank is a thread here, with a
// MemoryGroup of its own. collective_test.cc tests the sums, and train/shared_group_test.cc ranks
// that wait for others.
#include "comm/collective/piece_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <thread>

#include "base/thread/stopped.h"
#include "support/comm/board_memory.h"

namespace singa {
namespace {

constexpr int kRingRanks = 3;
constexpr MemoryBoard::Size kRing = {.ranks = kRingRanks, .slot_floats = 4};

// RankPieces has pieces of one to four floats. Each rank's part is 1 + its rank.
class RankPieces final : public PieceWork {
 public:
  explicit RankPieces(int rank) : rank_(rank) {}

  int64_t floats(int64_t piece) const override { return 1 + piece % 4; }
  void Produce(Context&, int64_t piece, float* to) const override {
    std::fill_n(to, floats(piece), static_cast<float>(1 + rank_));
  }
  void Consume(Context&, int64_t piece, std::span<float* const> sums) const override {
    const std::lock_guard lock(mutex_);
    consumed.push_back(piece);
    for (int64_t i = 0; i < floats(piece); ++i) EXPECT_EQ(sums[0][i], 1 + 2 + 3) << piece;
  }

  mutable std::vector<int64_t> consumed;

 private:
  const int rank_;
  mutable std::mutex mutex_;
};

// RingRanks are the rings of all ranks.
struct RingRanks {
  RingRanks() {
    for (int rank = 0; rank < kRingRanks; ++rank) {
      groups.push_back(std::make_unique<MemoryGroup>(MemoryGroup::Options{
          .ranks = {0, kRingRanks}, .group = kRingRanks, .here = 1, .shared = &board}));
      rings.push_back(std::make_unique<PieceRing>(groups.back().get(), rank, nullptr));
    }
  }
  // Runs all ranks, and returns the pieces that each added up, in order.
  std::vector<std::vector<int64_t>> Run(int64_t pieces, int threads_of_each = 1) {
    std::vector<std::vector<int64_t>> consumed(kRingRanks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRingRanks; ++rank)
      threads.emplace_back([&, rank] {
        Context ctx;
        ctx.threads = threads_of_each;
        const RankPieces work(rank);
        rings[rank]->Run(ctx, pieces, work);
        consumed[rank] = work.consumed;
      });
    for (std::thread& thread : threads) thread.join();
    return consumed;
  }

  const BoardMemory memory{kRing};
  const MemoryBoard board = memory.Map();
  std::vector<std::unique_ptr<MemoryGroup>> groups;
  std::vector<std::unique_ptr<PieceRing>> rings;
};

using RingConsumed = std::vector<std::vector<int64_t>>;

TEST(PieceRingTest, RanksTakeTurnsToAddPiecesUp) {
  EXPECT_EQ(RingRanks().Run(8), (RingConsumed{{0, 3, 6}, {1, 4, 7}, {2, 5}}));
}

TEST(PieceRingTest, ANewRunGoesOnWithTheNextTurn) {
  RingRanks ranks;
  ranks.Run(8);
  EXPECT_EQ(ranks.Run(4), (RingConsumed{{1}, {2}, {0, 3}}));
}

TEST(PieceRingTest, FewerPiecesThanRanksLeaveOneWithout) {
  EXPECT_EQ(RingRanks().Run(1), (RingConsumed{{0}, {}, {}}));
}

TEST(PieceRingTest, ARankWithoutPiecesWaitsForNobody) {
  RingRanks ranks;
  Context ctx;
  const RankPieces work(0);
  ranks.rings[0]->Run(ctx, 0, work);
  EXPECT_TRUE(work.consumed.empty());
}

// There are several times as many pieces as slots, so that each slot is used again.
TEST(PieceRingTest, ThreadsOfARankShareItsPieces) {
  constexpr int64_t kPieces = 5 * MemoryBoard::kSlots + 1;
  RingConsumed consumed = RingRanks().Run(kPieces, 3);
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& of_rank : consumed)
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  std::ranges::sort(all);
  std::vector<int64_t> expected;
  for (int64_t piece = 0; piece < kPieces; ++piece) expected.push_back(piece);
  EXPECT_EQ(all, expected);
}

TEST(PieceRingTest, ARankOfAStoppedProcessAddsNothingUp) {
  RingRanks ranks;
  ranks.groups[0]->Stop();
  Context ctx;
  const RankPieces work(0);
  EXPECT_THROW(ranks.rings[0]->Run(ctx, 8, work), Stopped);
  EXPECT_TRUE(work.consumed.empty());
}

// OneFails has pieces of one float, of which piece 1 finds no memory.
class OneFails final : public PieceWork {
 public:
  int64_t floats(int64_t) const override { return 1; }
  void Produce(Context&, int64_t piece, float* to) const override {
    if (piece == 1) throw std::bad_alloc();
    *to = 0;
  }
  void Consume(Context&, int64_t, std::span<float* const>) const override {}
};

// The other thread waits for the lost piece, for there are more pieces than slots.
TEST(PieceRingTest, APieceThatFailsInOneOfTwoThreadsEndsBoth) {
  const BoardMemory memory({.ranks = 1, .slot_floats = 4});
  const MemoryBoard board = memory.Map();
  MemoryGroup group({.ranks = {0, 1}, .group = 1, .here = 1, .shared = &board});
  PieceRing ring(&group, 0, nullptr);
  Context ctx;
  ctx.threads = 2;
  EXPECT_THROW(ring.Run(ctx, 2 * MemoryBoard::kSlots, OneFails()), std::bad_alloc);
  EXPECT_TRUE(group.stopped());
}

// OneRankSays has one piece, and keeps what its mark says meanwhile.
class OneRankSays final : public PieceWork {
 public:
  explicit OneRankSays(const ActivityMark& mark) : mark_(mark) {}
  int64_t floats(int64_t) const override { return 1; }
  void Produce(Context&, int64_t, float* to) const override {
    *to = 0;
    said.push_back(mark_.state().activity);
  }
  void Consume(Context&, int64_t, std::span<float* const>) const override {
    said.push_back(mark_.state().activity);
  }
  mutable std::vector<Activity> said;

 private:
  const ActivityMark& mark_;
};

TEST(PieceRingTest, ItsMarkSaysWhatItDoes) {
  const BoardMemory memory({.ranks = 1, .slot_floats = 4});
  const MemoryBoard board = memory.Map();
  MemoryGroup group({.ranks = {0, 1}, .group = 1, .here = 1, .shared = &board});
  ActivityMark mark;
  mark.Set(Activity::kFeature);
  PieceRing ring(&group, 0, &mark);
  Context ctx;
  const OneRankSays work(mark);
  ring.Run(ctx, 1, work);
  EXPECT_EQ(work.said, (std::vector<Activity>{Activity::kGradient, Activity::kUpdating}));
  EXPECT_EQ(mark.state().activity, Activity::kFeature);
}

}  // namespace
}  // namespace singa
