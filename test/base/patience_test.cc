// How long who waits for others does.
#include "base/thread/patience.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// Short enough for a machine that has just been started, where the clock begins.
constexpr std::chrono::minutes kMinute(1);

TEST(PatienceTest, EndsAfterItsTime) {
  const Patience patience(kMinute);
  const auto now = Patience::Clock::now();
  EXPECT_FALSE(patience.Ends(now));
  EXPECT_FALSE(patience.Ends(now - kMinute / 6));
  EXPECT_TRUE(patience.Ends(now - kMinute));
}

TEST(PatienceTest, BeginsAgainWhenSomebodyGoesOn) {
  Patience patience(kMinute);
  patience.Renew();
  EXPECT_FALSE(patience.Ends(Patience::Clock::now() - kMinute));
}

TEST(PatienceTest, WithoutALimitItDoesNotEnd) {
  EXPECT_FALSE(Patience().Ends(Patience::Clock::now() - hours(24 * 365)));
}

// A wait whose time the test says, in looks of half a second.
class PatienceWaiting : public ::testing::Test {
 protected:
  // Looks until it ends, for `seconds` at most. Returns how many it took.
  double Wait(double seconds) {
    for (int look = 1; look <= 2 * seconds; ++look)
      if (waiting_.Ends(now_ += milliseconds(500))) return look / 2.;
    return seconds;
  }

  Patience patience_{std::chrono::seconds(10)};
  Patience::Clock::time_point now_ = Patience::Clock::now();
  Patience::Waiting waiting_{patience_, now_};
};

TEST_F(PatienceWaiting, EndsAfterItsTime) { EXPECT_EQ(Wait(100), 10); }

TEST_F(PatienceWaiting, TimeInWhichTheProcessWasStoppedDoesNotCount) {
  EXPECT_EQ(Wait(4), 4);
  now_ += hours(1);
  EXPECT_EQ(Wait(100), 5.5);  // a second of the hour does
}

TEST_F(PatienceWaiting, NeitherWhereSomebodyWentOnBeforeThat) {
  EXPECT_EQ(Wait(4), 4);
  patience_.Renew(now_ += milliseconds(200));
  now_ += hours(1);
  EXPECT_EQ(Wait(100), 10);  // 0.8 seconds of the hour do
}

TEST_F(PatienceWaiting, NorDoesThePauseMakeItLonger) {
  now_ += hours(1);
  EXPECT_FALSE(waiting_.Ends(now_));
  patience_.Renew(now_);
  EXPECT_EQ(Wait(100), 10);
}

TEST_F(PatienceWaiting, ManyLateLooksEndItAllTheSame) {
  int looks = 0;
  while (!waiting_.Ends(now_ += std::chrono::seconds(3))) ++looks;
  EXPECT_EQ(looks, 9);
}

TEST(PatienceTest, WaitsForWhatComesOrGivesUp) {
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  const Patience patience(milliseconds(20));
  EXPECT_TRUE(patience.Wait(&changed, &lock, [] { return true; }));
  EXPECT_FALSE(patience.Wait(&changed, &lock, [] { return false; }));
}

}  // namespace
}  // namespace singa
