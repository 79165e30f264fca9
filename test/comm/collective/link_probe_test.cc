#include "comm/collective/link_probe.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/comm/memory_links.h"

namespace singa::link_probe {
namespace {

SumTimes Measure(int64_t floats, int64_t* sent = nullptr) {
  MemoryLinks links(2);
  SumTimes times, others;
  std::thread other([&] { others = MeasureSum(links[1], floats); });
  times = MeasureSum(links[0], floats);
  other.join();
  EXPECT_EQ(links.under_way(), 0u);
  if (sent) *sent = static_cast<int64_t>(links.most_sent());
  return times;
}

TEST(LinkProbe, ALargeSumTakesLongerThanItsMessages) {
  const SumTimes times = Measure(1 << 18);
  EXPECT_GT(times.message_ms, 0);
  EXPECT_GT(times.ms, kMessagesOfSum * times.message_ms);
}

TEST(LinkProbe, AVeryLargeSumIsScaled) {
  int64_t sent = 0;
  const SumTimes times = Measure(int64_t{1} << 33, &sent);
  EXPECT_GT(times.ms, 100 * times.message_ms);
  EXPECT_LT(sent, int64_t{1} << 26);
}

TEST(LinkProbe, NothingTakesNoTime) {
  EXPECT_EQ(Measure(0).ms, 0);
  MemoryLinks one(1);
  EXPECT_EQ(MeasureSum(one[0], 8).ms, 0) << "there is no other rank";
}

}  // namespace
}  // namespace singa::link_probe
