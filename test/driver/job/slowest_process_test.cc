// Tests which process of a group is reported as the slowest.
#include "driver/job/slowest_process.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

// Makes shares of processes that work for `ms` of a step's 100 ms and wait for the rest of it.
std::vector<ProcessShare> Working(const std::vector<double>& ms) {
  std::vector<ProcessShare> shares;
  for (const double work : ms) shares.push_back({.step_ms = 100, .sync_wait_ms = 100 - work});
  return shares;
}

TEST(SlowestProcessTest, IsTheOneThatTheOthersWaitForInTwoRows) {
  SlowestProcess slowest;
  EXPECT_EQ(slowest.Find(Working({50, 80, 50})), std::nullopt);
  const auto found = slowest.Find(Working({40, 80, 60}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place, 1);
  EXPECT_DOUBLE_EQ(found->longer, 0.3);
}

TEST(SlowestProcessTest, IsNoneWhereAnotherOneIsItEachTime) {
  SlowestProcess slowest;
  for (int row = 0; row < 3; ++row) {
    EXPECT_EQ(slowest.Find(Working({90, 50})), std::nullopt);
    EXPECT_EQ(slowest.Find(Working({50, 90})), std::nullopt);
  }
}

TEST(SlowestProcessTest, IsNoneWhereTheOthersHardlyWait) {
  SlowestProcess slowest;
  for (int row = 0; row < 3; ++row) {
    EXPECT_EQ(slowest.Find(Working({80, 61})), std::nullopt);
    EXPECT_EQ(slowest.Find(Working({70, 70})), std::nullopt);
    // The first works ten times as long as the other, but both wait much longer for servers.
    EXPECT_EQ(slowest.Find(Working({10, 1})), std::nullopt);
  }
  slowest.Find(Working({80, 60}));
  EXPECT_TRUE(slowest.Find(Working({80, 60})));
}

TEST(SlowestProcessTest, BeginsAnewAfterARowWithoutOne) {
  SlowestProcess slowest;
  slowest.Find(Working({50, 80}));
  slowest.Find(Working({80, 80}));
  EXPECT_EQ(slowest.Find(Working({50, 80})), std::nullopt);
}

TEST(SlowestProcessTest, IsNoneOfOneProcessOrWithoutTime) {
  SlowestProcess slowest;
  for (int row = 0; row < 2; ++row) {
    EXPECT_EQ(slowest.Find(Working({90})), std::nullopt);
    EXPECT_EQ(slowest.Find({}), std::nullopt);
    EXPECT_EQ(slowest.Find({ProcessShare(), ProcessShare()}), std::nullopt);
  }
}

}  // namespace
}  // namespace singa
