// Tests waits for changes.
#include "base/thread/change_count.h"

#include <gtest/gtest.h>

#include <thread>

namespace singa::change_count {
namespace {

TEST(ChangeCount, AChangeThatCameBeforeEndsAWaitAtOnce) {
  ChangeCount changes{};
  const uint32_t seen = changes.seen();
  changes.Tell();
  EXPECT_TRUE(changes.Await(seen, 2, nullptr, nullptr));
  EXPECT_EQ(changes.seen(), seen + 1);
}

// 1000 threads are more than there are cores, so each wait sleeps.
TEST(ChangeCount, ATurnEndsTheSleepOfTheOtherThread) {
  constexpr uint32_t kTurns = 2000;
  ChangeCount changes{};
  const auto take_turns = [&](uint32_t parity) {
    for (uint32_t turn = parity; turn < kTurns; turn += 2) {
      for (uint32_t seen = changes.seen(); seen != turn; seen = changes.seen())
        changes.Await(seen, 1000, nullptr, nullptr);
      changes.Tell();
    }
  };
  std::thread even(take_turns, 0), odd(take_turns, 1);
  even.join();
  odd.join();
  EXPECT_EQ(changes.seen(), kTurns);
  EXPECT_EQ(changes.sleepers, 0u);
}

TEST(ChangeCount, AWaitEndsAtTheDeadlineOrWhenItIsStopped) {
  ChangeCount changes{};
  const ProgressDeadline soon(std::chrono::milliseconds(1));
  EXPECT_FALSE(changes.Await(0, 1000, nullptr, &soon));
  const std::atomic<bool> stopped{true};
  EXPECT_TRUE(changes.Await(0, 1000, &stopped, nullptr));
  EXPECT_EQ(changes.sleepers, 0u);
}

}  // namespace
}  // namespace singa::change_count
