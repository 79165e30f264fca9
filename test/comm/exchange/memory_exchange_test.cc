// Tests regions that workers offer each other, as threads: what arrives, who waits, and for how
// long.
#include "comm/exchange/memory_exchange.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "base/thread/stopped.h"
#include "singa/base/error.h"
#include "support/comm/exchange_turns.h"

namespace singa {
namespace {

enum class Board { kThreads, kShared };

class MemoryExchangeTest : public ::testing::TestWithParam<Board> {
 protected:
  static constexpr int kWorkers = 3, kTags = 2, kFloats = 12;

  explicit MemoryExchangeTest(const ProgressDeadline* deadline = nullptr)
      : group_({.ranks = {0, kWorkers}, .group = kWorkers, .here = kWorkers, .deadline = deadline}),
        board_(MakeBoard()) {
    for (int worker = 0; worker < kWorkers; ++worker)
      workers_.emplace_back(&board_, &group_, worker, nullptr);
    std::iota(from_.begin(), from_.end(), 1.f);
  }

  MemoryGroup group_;
  std::vector<std::byte> memory_;
  RegionBoard board_;
  std::deque<MemoryExchange> workers_;
  Context ctx_;
  std::vector<float> from_ = std::vector<float>(24), to_ = std::vector<float>(24);

 private:
  RegionBoard MakeBoard() {
    const RegionSizes sizes{kWorkers, kTags, kFloats, [](int, int, int) { return kFloats; }};
    if (GetParam() == Board::kThreads) return RegionBoard(sizes, {0, kWorkers});
    MemoryLayout counts(nullptr);
    const RegionBoard counted(sizes, &counts);
    memory_.resize(counts.bytes() + MemoryLayout::kAlignment);
    void* memory = memory_.data();
    size_t room = memory_.size();
    MemoryLayout layout(static_cast<std::byte*>(
        std::align(MemoryLayout::kAlignment, counts.bytes(), memory, room)));
    return RegionBoard(sizes, &layout);
  }
};
INSTANTIATE_TEST_SUITE_P(Boards, MemoryExchangeTest,
                         ::testing::Values(Board::kThreads, Board::kShared));

// Columns 1 and 2 of two matrices of 3 rows and 4 columns.
TEST_P(MemoryExchangeTest, ARegionArrivesInTheReceiversStrides) {
  const Region columns{
      .data = from_.data() + 1, .steps = 2, .step_stride = 12, .count = 3, .stride = 4, .run = 2};
  const Region packed{
      .data = to_.data(), .steps = 2, .step_stride = 6, .count = 3, .stride = 2, .run = 2};
  EXPECT_EQ(columns.floats(), 12);
  workers_[0].Offer(ctx_, 1, 2, columns);
  workers_[2].Take(ctx_, 1, 0, packed, false);
  const std::vector<float> want = {2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 22, 23};
  EXPECT_EQ(std::vector<float>(to_.begin(), to_.begin() + 12), want);
  EXPECT_EQ(to_[12], 0);
  workers_[0].AwaitTaken(1);
}

TEST_P(MemoryExchangeTest, ARegionMayBeAdded) {
  to_.assign(24, 100);
  const Region rows{.data = from_.data(), .count = 2, .stride = 12, .run = 3};
  const Region there{.data = to_.data(), .count = 2, .stride = 3, .run = 3};
  for (int i = 0; i < 2; ++i) {
    workers_[1].Offer(ctx_, 0, 0, rows);
    workers_[0].Take(ctx_, 0, 1, there, true);
    workers_[1].AwaitTaken(0);
  }
  EXPECT_EQ(std::vector<float>(to_.begin(), to_.begin() + 7),
            (std::vector<float>{102, 104, 106, 126, 128, 130, 100}));
}

// Nobody reads a region of another turn.
TEST_P(MemoryExchangeTest, EachTurnHasItsOwnRegions) {
  ExpectOwnRegions({&workers_[0], &workers_[1], &workers_[2]}, kTags, 300);
}

TEST_P(MemoryExchangeTest, WhoWaitsIsStopped) {
  std::atomic<int> waiting = 0;
  const Region region{.data = from_.data(), .count = 1, .stride = 1, .run = 1};
  std::thread takes([&] {
    ++waiting;
    EXPECT_THROW(workers_[0].Take(ctx_, 0, 1, region, false), Stopped);
  });
  std::thread gives([&] {
    workers_[2].Offer(ctx_, 1, 1, region);
    ++waiting;
    EXPECT_THROW(workers_[2].AwaitTaken(1), Stopped);
  });
  while (waiting < 2) std::this_thread::yield();
  group_.Stop();
  takes.join();
  gives.join();
}

class LateMemoryExchangeTest : public MemoryExchangeTest {
 protected:
  LateMemoryExchangeTest() : MemoryExchangeTest(&deadline_) {}
  const ProgressDeadline deadline_{std::chrono::milliseconds(50)};
};

INSTANTIATE_TEST_SUITE_P(Boards, LateMemoryExchangeTest,
                         ::testing::Values(Board::kThreads, Board::kShared));

TEST_P(LateMemoryExchangeTest, NamesTheWorkerThatOffersNothing) {
  try {
    workers_[0].Take(ctx_, 0, 2, {.data = to_.data(), .count = 1, .stride = 1, .run = 1}, false);
    FAIL() << "took what nobody offers";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitStalled);
    EXPECT_NE(std::string(error.what()).find("worker 2 of the group stands still"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace singa
