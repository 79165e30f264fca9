// Tests how long a process waits for others before it gives up.
#include "base/thread/progress_deadline.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// A minute is shorter than the uptime of a machine that has just been started, where the clock
// begins.
constexpr std::chrono::minutes kMinute(1);

TEST(ProgressDeadlineTest, EndsAfterItsTime) {
  const ProgressDeadline deadline(kMinute);
  const auto now = ProgressDeadline::Clock::now();
  EXPECT_FALSE(deadline.Ends(now));
  EXPECT_FALSE(deadline.Ends(now - kMinute / 6));
  EXPECT_TRUE(deadline.Ends(now - kMinute));
}

TEST(ProgressDeadlineTest, BeginsAgainWhenSomebodyGoesOn) {
  ProgressDeadline deadline(kMinute);
  deadline.Renew();
  EXPECT_FALSE(deadline.Ends(ProgressDeadline::Clock::now() - kMinute));
}

TEST(ProgressDeadlineTest, WithoutALimitItDoesNotEnd) {
  EXPECT_FALSE(ProgressDeadline().Ends(ProgressDeadline::Clock::now() - hours(24 * 365)));
}

// This fixture runs a wait whose time the test sets, in looks of half a second.
class ProgressDeadlineWaiting : public ::testing::Test {
 protected:
  // Looks until the wait ends, for `seconds` at most. Returns the seconds that it took.
  double Wait(double seconds) {
    for (int look = 1; look <= 2 * seconds; ++look)
      if (waiting_.Ends(now_ += milliseconds(500))) return look / 2.;
    return seconds;
  }

  ProgressDeadline deadline_{std::chrono::seconds(10)};
  ProgressDeadline::Clock::time_point now_ = ProgressDeadline::Clock::now();
  ProgressDeadline::Waiting waiting_{deadline_, now_};
};

TEST_F(ProgressDeadlineWaiting, EndsAfterItsTime) { EXPECT_EQ(Wait(100), 10); }

TEST_F(ProgressDeadlineWaiting, TimeInWhichTheProcessWasStoppedDoesNotCount) {
  EXPECT_EQ(Wait(4), 4);
  now_ += hours(1);
  EXPECT_EQ(Wait(100), 5.5);  // one second of the hour is enough
}

TEST_F(ProgressDeadlineWaiting, NeitherWhereSomebodyWentOnBeforeThat) {
  EXPECT_EQ(Wait(4), 4);
  deadline_.Renew(now_ += milliseconds(200));
  now_ += hours(1);
  EXPECT_EQ(Wait(100), 10);  // 0.8 seconds of the hour are enough
}

TEST_F(ProgressDeadlineWaiting, NorDoesThePauseMakeItLonger) {
  now_ += hours(1);
  EXPECT_FALSE(waiting_.Ends(now_));
  deadline_.Renew(now_);
  EXPECT_EQ(Wait(100), 10);
}

TEST_F(ProgressDeadlineWaiting, ManyLateLooksEndItAllTheSame) {
  int looks = 0;
  while (!waiting_.Ends(now_ += std::chrono::seconds(3))) ++looks;
  EXPECT_EQ(looks, 9);
}

TEST(ProgressDeadlineTest, WaitsForWhatComesOrGivesUp) {
  std::mutex mutex;
  std::condition_variable changed;
  std::unique_lock lock(mutex);
  const ProgressDeadline deadline(milliseconds(20));
  EXPECT_TRUE(deadline.Wait(&changed, &lock, [] { return true; }));
  EXPECT_FALSE(deadline.Wait(&changed, &lock, [] { return false; }));
}

}  // namespace
}  // namespace singa
