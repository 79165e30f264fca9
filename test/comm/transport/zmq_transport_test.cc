#include "comm/transport/zmq_transport.h"

#include <gtest/gtest.h>

#include <thread>

#include "comm/zmq_ranks.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

class ZmqTransportTest : public testing::TestWithParam<Security> {};
INSTANTIATE_TEST_SUITE_P(All, ZmqTransportTest, testing::Values(Security::kAuto, Security::kCurve),
                         [](const auto& test) {
                           return std::string(test.param == Security::kAuto ? "Token" : "Curve");
                         });

TEST_P(ZmqTransportTest, CarriesPacketsBetweenEachPairBothWays) {
  Ranks ranks(3, GetParam());
  ASSERT_TRUE(ranks.Meet());
  for (int from = 0; from < 3; ++from)
    for (int to = 0; to < 3; ++to)
      if (from != to) {
        EXPECT_TRUE(ranks[from].transport.Send(to, {FrameOf(StrCat(from, " to ", to))}));
      }
  ASSERT_TRUE(PollUntil(ranks.Pointers(), [&] {
    return ranks[0].recorder.packets.size() == 2 && ranks[1].recorder.packets.size() == 2 &&
           ranks[2].recorder.packets.size() == 2;
  }));
  for (int to = 0; to < 3; ++to) {
    for (const Arrived& arrived : ranks[to].recorder.packets)
      EXPECT_EQ(arrived.frames, std::vector{StrCat(arrived.rank, " to ", to)});
    EXPECT_EQ(ranks[to].recorder.connected.size(), 2u);
    EXPECT_EQ(ranks[to].transport.counts().dropped, 0);
  }
}

TEST_P(ZmqTransportTest, KeepsFramesAndTheirOrder) {
  Ranks ranks(2, GetParam());
  ASSERT_TRUE(ranks.Meet());
  const std::string large(500'000, 'x');
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(ranks[1].transport.Send(0, {FrameOf(std::to_string(i)), FrameOf(large), Frame()}));
  auto& packets = ranks[0].recorder.packets;
  ASSERT_TRUE(PollUntil(ranks.Pointers(), [&] { return packets.size() == 20; }));
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(packets[i], (Arrived{1, {std::to_string(i), large, ""}})) << i;
}

}  // namespace
}  // namespace singa
