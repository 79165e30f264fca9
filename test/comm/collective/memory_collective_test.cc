// Tests ranks that share memory: as real processes, and when one of them fails.
#include "comm/collective/memory_collective.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <thread>

#include "base/thread/stopped.h"
#include "singa/base/error.h"
#include "support/comm/collective_ranks.h"

namespace singa {
namespace {

class MemoryCollectiveTest : public ::testing::TestWithParam<RanksBy> {};
INSTANTIATE_TEST_SUITE_P(Backends, MemoryCollectiveTest,
                         ::testing::Values(RanksBy::kThreads, RanksBy::kProcesses));

TEST_P(MemoryCollectiveTest, ARankThatWaitsIsStopped) {
  CollectiveRanks ranks(GetParam(), 2);
  std::atomic<bool> starts = false;
  std::thread waiting([&] {
    std::vector<double> one = {1};
    starts = true;
    EXPECT_THROW(ranks[0].AllReduce(std::span(one)), Stopped);
    EXPECT_THROW(ranks[0].Barrier(), Stopped);
  });
  while (!starts) std::this_thread::yield();
  ranks.group(0).Stop();
  waiting.join();
}

TEST_P(MemoryCollectiveTest, NamesTheRankThatStandsStill) {
  const ProgressDeadline deadline(std::chrono::milliseconds(100));
  CollectiveRanks ranks(GetParam(), 3, &deadline);
  std::thread third([&] { EXPECT_THROW(ranks[2].Barrier(), Error); });
  try {
    ranks[0].Barrier();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitStalled);
    EXPECT_EQ(std::string(error.what()),
              "worker 1 of the group stands still: no progress for "
              "0 s, while worker 0 waits for it");
  }
  third.join();
}

// OneIsBad has pieces of 4 numbers. The third one of piece 1 is not finite at rank `bad`.
class OneIsBad final : public PieceWork {
 public:
  // `consumed` counts the pieces that were handed on.
  OneIsBad(const MemoryCollective* own, int bad, std::atomic<int>* consumed)
      : own_(*own), bad_(bad), consumed_(*consumed) {}
  int64_t floats(int64_t) const override { return 4; }
  void Produce(Context&, int64_t piece, float* to) const override {
    std::fill_n(to, 4, 1.f);
    if (piece == 1 && own_.rank() == bad_) to[2] = NAN;
  }
  void Consume(Context& ctx, int64_t piece, std::span<float* const>) const override {
    ++consumed_;
    EXPECT_EQ(own_.NotFiniteRank(ctx, piece, 0, 2), -1) << piece;
    EXPECT_EQ(own_.NotFiniteRank(ctx, piece, 2, 2), piece == 1 ? bad_ : -1) << piece;
  }

 private:
  const MemoryCollective& own_;
  const int bad_;
  std::atomic<int>& consumed_;
};

TEST_P(MemoryCollectiveTest, FindsTheRankWhosePartOfAPieceIsNotFinite) {
  for (const int bad : {0, 1, 2}) {
    std::atomic<int> consumed{0};
    CollectiveRanks ranks(GetParam(), 3);
    ranks.Run([&](Collective& own) {
      Context ctx;
      std::vector<float> room(CollectiveRanks::kSlotFloats * 4);
      const OneIsBad work(&static_cast<MemoryCollective&>(own), bad, &consumed);
      own.ReduceScatter(ctx, 3, work, room);
    });
    EXPECT_GE(consumed, 3);
  }
}

// FailsOnce has pieces of 4 numbers, of which piece 1 finds no memory.
class FailsOnce final : public PieceWork {
 public:
  int64_t floats(int64_t) const override { return 4; }
  void Produce(Context&, int64_t piece, float* to) const override {
    if (piece == 1) throw std::bad_alloc();
    std::fill_n(to, 4, 1.f);
  }
  void Consume(Context&, int64_t, std::span<float* const>) const override {}
};

TEST(MemoryCollective, TheRankThatTookAPieceThrowsWhatFailed) {
  std::atomic<int> failures{0};
  CollectiveRanks(RanksBy::kThreads, 2).Run([&](Collective& own) {
    Context ctx;
    ctx.threads = 2;
    std::vector<float> room(CollectiveRanks::kSlotFloats * 4);
    const FailsOnce work;
    try {
      own.ReduceScatter(ctx, 64, work, room);
    } catch (const std::bad_alloc&) {
      ++failures;
    }
  });
  EXPECT_EQ(failures, 1);
}

// The ranks are workers 2 and 3 of a group of four.
TEST(MemoryCollective, ErrorsCountTheWorkersOfTheWholeGroup) {
  const ProgressDeadline deadline(std::chrono::milliseconds(100));
  MemoryGroup group({.ranks = {2, 4}, .group = 4, .here = 2, .deadline = &deadline});
  MemoryCollective second(&group, 1, nullptr);
  try {
    second.Barrier();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "worker 2 of the group stands still: no progress for 0 s, while worker 3 waits for it");
  }
}

TEST_P(MemoryCollectiveTest, CountsTheTimeThatARankWaits) {
  CollectiveRanks ranks(GetParam(), 2);
  std::thread late([&] {
    while (ranks.group(0).board().progress[0].written == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ranks[1].Barrier();
  });
  ranks[0].Barrier();
  late.join();
  EXPECT_GE(ranks.group(0).TakeWait(), 1'000'000);
  EXPECT_EQ(ranks.group(0).TakeWait(), 0);
}

// Two real processes map the memory at different addresses.
TEST(MemoryCollective, ProcessesAddUpBySharedMemory) {
  const MemoryBoard::Size size = {.ranks = 2, .slot_floats = 16};
  const auto bytes = static_cast<size_t>(MemoryBoard::Bytes(size));
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto run = [&](int rank) {
    const MemoryBoard board(size, static_cast<std::byte*>(memory));
    MemoryGroup group({.ranks = {0, 2}, .group = 2, .here = 1, .shared = &board});
    MemoryCollective own(&group, rank, nullptr);
    bool right = true;
    for (int turn = 0; turn < 1000; ++turn) {
      std::vector<double> values = {rank + 1.0 * turn};
      own.AllReduce(std::span(values));
      right = right && values[0] == 1 + 2.0 * turn;
    }
    return right;
  };
  const pid_t child = ::fork();
  if (child == 0) ::_exit(run(1) ? 0 : 1);
  ASSERT_GT(child, 0);
  EXPECT_TRUE(run(0));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ::munmap(memory, bytes);
}

}  // namespace
}  // namespace singa
