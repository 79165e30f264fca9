// Numbers that workers of several processes add up.
#include <gtest/gtest.h>

#include <thread>

#include "train/reduce/local_group.h"

namespace singa {
namespace {

struct SlowSum final : NodeSums {
  void Sum(std::span<const double> parts, std::span<double> sum) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    sum[0] = parts[0] + 2;
  }
};

TEST(GroupSumTest, TheTimeThatProcessesTakeIsTimeWaited) {
  LocalGroup group(1);
  group.SetParams({{7}});
  SlowSum between;
  group.SetBetween(&between);
  std::vector<double> one = {1};
  group.Sum(0, one);
  EXPECT_EQ(one[0], 3);
  EXPECT_GE(group.TakeWait(), 30'000'000);
  EXPECT_EQ(group.TakeWait(), 0);
}

}  // namespace
}  // namespace singa
