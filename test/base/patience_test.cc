// How long who waits for others does.
#include "base/patience.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(PatienceTest, EndsAfterItsTime) {
  const Patience patience(hours(1));
  const auto now = Patience::Clock::now();
  EXPECT_FALSE(patience.Ends(now));
  EXPECT_FALSE(patience.Ends(now - hours(1) + std::chrono::minutes(10)));
  EXPECT_TRUE(patience.Ends(now - hours(1)));
}

TEST(PatienceTest, BeginsAgainWhenSomebodyGoesOn) {
  Patience patience(hours(1));
  patience.Renew();
  EXPECT_FALSE(patience.Ends(Patience::Clock::now() - hours(2)));
}

TEST(PatienceTest, WithoutALimitItDoesNotEnd) {
  EXPECT_FALSE(Patience().Ends(Patience::Clock::now() - hours(24 * 365)));
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
