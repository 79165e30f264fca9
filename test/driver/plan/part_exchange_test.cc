// Tests how parts of workers that are measured wait for each other.
#include "driver/plan/part_exchange.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kTags = 2, kFloats = 4;

class PartExchangeTest : public ::testing::Test {
 protected:
  const RegionSizes sizes_{2, kTags, kFloats, {}};
  PartMeeting meeting_{2};
  PartExchange first_{sizes_, &meeting_, 0}, second_{sizes_, &meeting_, 1};
  Context ctx_;
  std::vector<float> to_ = std::vector<float>(kFloats, 7.f);
  const Region region_{to_.data(), 1, 0, 1, kFloats, kFloats};
};

TEST_F(PartExchangeTest, RegionsOfOthersAreZeros) {
  first_.EndOffers(ctx_, 0);
  second_.EndOffers(ctx_, 0);
  first_.Take(ctx_, 0, 1, region_, true);
  EXPECT_EQ(to_, std::vector<float>(kFloats, 7.f));
  first_.Take(ctx_, 0, 1, region_, false);
  EXPECT_EQ(to_, std::vector<float>(kFloats, 0.f));
}

// The first part waits for the tag that it takes, and not for a later one.
TEST_F(PartExchangeTest, ATakeWaitsForTheOtherPartsOffers) {
  first_.EndOffers(ctx_, 0);
  first_.EndOffers(ctx_, 1);
  second_.EndOffers(ctx_, 0);
  first_.Take(ctx_, 0, 1, region_, false);
  std::atomic<bool> offered{false};
  std::thread other([&] {
    offered = true;
    second_.EndOffers(ctx_, 1);
  });
  first_.Take(ctx_, 1, 1, region_, false);
  EXPECT_TRUE(offered);
  other.join();
  EXPECT_GT(first_.TakeWait(), 0);
  EXPECT_EQ(first_.TakeWait(), 0);
}

TEST(PartMeeting, APartThatStandsStillIsAnError) {
  PartMeeting meeting(2, std::chrono::milliseconds(50));
  meeting.Arrive(0);
  EXPECT_ERROR(meeting.Await(1), kExitStalled, "stands still");
}

TEST_F(PartExchangeTest, NobodyWaitsAfterAPartHasFailed) {
  first_.EndOffers(ctx_, 0);
  std::atomic<bool> ended{false};
  std::thread other([&] {
    ended = true;
    meeting_.End();
  });
  first_.Take(ctx_, 0, 1, region_, false);
  EXPECT_TRUE(ended);
  other.join();
}

}  // namespace
}  // namespace singa
