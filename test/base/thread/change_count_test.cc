// Tests waits for changes.
#include "base/thread/change_count.h"

#include <gtest/gtest.h>

#include <thread>

namespace singa::change_count {
namespace {

TEST(ChangeCount, AConditionThatHoldsEndsAWaitAtOnce) {
  ChangeCount changes{};
  EXPECT_TRUE(changes.Await([] { return true; }, 1000, nullptr, nullptr));
  EXPECT_EQ(changes.number, 0u);
}

TEST(ChangeCount, AChangeThatNobodySleepsForWritesNothing) {
  ChangeCount changes{};
  changes.Tell();
  EXPECT_EQ(changes.number, 0u);
}

// 1000 threads are more than there are cores, so each wait sleeps. A wake-up that is lost would
// take a tenth of a second.
TEST(ChangeCount, ATurnEndsTheSleepOfTheOtherThread) {
  constexpr uint32_t kTurns = 2000;
  ChangeCount changes{};
  std::atomic<uint32_t> turn{0};
  const auto take_turns = [&](uint32_t parity) {
    for (uint32_t own = parity; own < kTurns; own += 2) {
      changes.Await([&] { return turn == own; }, 1000, nullptr, nullptr);
      ++turn;
      changes.Tell();
    }
  };
  const auto start = std::chrono::steady_clock::now();
  std::thread even(take_turns, 0), odd(take_turns, 1);
  even.join();
  odd.join();
  EXPECT_EQ(turn, kTurns);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10))
      << "a wake-up was lost";
  EXPECT_EQ(changes.sleepers, 0u);
}

TEST(ChangeCount, AWaitEndsAtTheDeadlineOrWhenItIsStopped) {
  ChangeCount changes{};
  const auto never = [] { return false; };
  const ProgressDeadline soon(std::chrono::milliseconds(1));
  EXPECT_FALSE(changes.Await(never, 1000, nullptr, &soon));
  const std::atomic<bool> stopped{true};
  EXPECT_TRUE(changes.Await(never, 1000, &stopped, nullptr));
  EXPECT_EQ(changes.sleepers, 0u);
}

}  // namespace
}  // namespace singa::change_count
