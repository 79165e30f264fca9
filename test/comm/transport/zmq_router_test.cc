#include "comm/transport/zmq_router.h"

#include "comm/zmq_ends.h"
#include "singa/base/error.h"
#include "support/heard_log.h"

namespace singa {
namespace {

class ZmqRouterTest : public ZmqEnds {};

TEST_F(ZmqRouterTest, TellsTheEndpointThatTheSystemChose) {
  Listen();
  EXPECT_EQ(router_->endpoint().host, "127.0.0.1");
  EXPECT_GT(router_->endpoint().port, 0);
  EXPECT_FALSE(router_->connected(1));
  EXPECT_FALSE(router_->Send(1, PacketOf("x")));
}

TEST_F(ZmqRouterTest, AllAddressesAreNoneToConnectTo) {
  options_.bind = {"*", 0};
  options_.security = Security::kInsecure;
  try {
    Listen();
    FAIL() << "it listens";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitConfig);
    EXPECT_NE(std::string(error.what()).find("stands for all addresses of this machine"),
              std::string::npos)
        << error.what();
  }
  options_.advertise = "localhost";
  EXPECT_EQ(Listen().endpoint().host, "127.0.0.1");
}

TEST_F(ZmqRouterTest, CarriesPacketsBothWays) {
  Listen();
  Dealer& peer = Connected();
  EXPECT_EQ(heard_.connected, std::vector<int>{1});
  EXPECT_TRUE(router_->connected(1));
  EXPECT_TRUE(router_->Send(1, PacketOf("to you")));
  EXPECT_TRUE(peer.dealer.Send(PacketOf("to me")));
  ASSERT_TRUE(Until([&] { return !heard_.packets.empty() && !peer.heard.packets.empty(); }));
  EXPECT_EQ(heard_.packets[0], From(1, "to me"));
  EXPECT_EQ(peer.heard.packets[0], From(0, "to you"));
}

TEST_F(ZmqRouterTest, HandsOnNoMorePacketsThanItIsAskedFor) {
  Listen();
  Dealer& peer = Connected();
  for (int i = 0; i < 5; ++i) peer.dealer.Send(PacketOf(std::to_string(i)));
  router_receives_ = false;
  int got = 0;
  ASSERT_TRUE(Until([&] { return (got += router_->Receive(1, &heard_)) >= 3; }));
  EXPECT_EQ(got, 3);
  EXPECT_EQ(heard_.packets.size(), 3u);
}

TEST_F(ZmqRouterTest, ANewerLifeOfAProcessReplacesTheOneBefore) {
  Listen();
  Dealer& old = Connected();
  Dealer& young = Connected("00000000000000a1");
  EXPECT_EQ(heard_.connected, (std::vector<int>{1, 1}));
  old.dealer.Send(PacketOf("old"));
  young.dealer.Send(PacketOf("young"));
  ASSERT_TRUE(Until([&] { return counts_.dropped >= 1 && !heard_.packets.empty(); }));
  EXPECT_EQ(heard_.packets, std::vector<Arrived>{From(1, "young")});
}

// A packet of a life that has ended may come late.
TEST_F(ZmqRouterTest, ALifeThatHasEndedDoesNotComeBack) {
  Listen();
  Connected();
  dealers_.clear();
  Connected("00000000000000a1");
  const int64_t dropped = counts_.dropped;
  Dealer& again = Connect();
  ASSERT_TRUE(Until([&] { return counts_.dropped > dropped; }));
  EXPECT_FALSE(again.dealer.connected());
  EXPECT_EQ(heard_.connected.size(), 2u);
}

TEST_F(ZmqRouterTest, APeerThatOffendsTooOftenIsNoLongerHeard) {
  options_.max_frames = 2;
  Listen();
  Dealer& peer = Connected();
  const HeardLog log;
  const Packet large = {FrameOf("a"), FrameOf("b"), FrameOf("c")};
  for (int i = 0; i < kMostOffences; ++i) peer.dealer.Send(large);
  peer.dealer.Send(PacketOf("after"));
  ASSERT_TRUE(Until([&] { return counts_.dropped >= kMostOffences + 1; }));
  EXPECT_TRUE(heard_.packets.empty());
  EXPECT_FALSE(router_->connected(1));
  EXPECT_TRUE(log.Has("process 1 sends packets that no process of this job sends"));
}

TEST_F(ZmqRouterTest, AFewOffencesAreForgiven) {
  options_.max_frames = 2;
  Listen();
  Dealer& peer = Connected();
  const Packet large = {FrameOf("a"), FrameOf("b"), FrameOf("c")};
  for (int i = 0; i < kMostOffences - 1; ++i) peer.dealer.Send(large);
  peer.dealer.Send(PacketOf("after"));
  ASSERT_TRUE(Until([&] { return !heard_.packets.empty(); }));
  EXPECT_EQ(heard_.packets[0], From(1, "after"));
  EXPECT_EQ(counts_.dropped, kMostOffences - 1);
}

TEST_F(ZmqRouterTest, CountsConnectionsThatTheGateRefuses) {
  Listen();
  dealers_.push_back(std::make_unique<Dealer>(this, kLife));
  dealers_[0]->options.secrets.token = JobSecrets::Make(1).token;
  dealers_[0]->dealer.Connect(router_->endpoint());
  ASSERT_TRUE(Until([&] { return counts_.refused > 0 && counts_.failed_handshakes > 0; }));
  EXPECT_TRUE(heard_.connected.empty());
}

}  // namespace
}  // namespace singa
