#include "comm/transport/zmq_dealer.h"

#include "comm/zmq_ends.h"
#include "support/heard_log.h"

namespace singa {
namespace {

class ZmqDealerTest : public ZmqEnds {};

TEST_F(ZmqDealerTest, AGreetingIsOneEmptyFrame) {
  EXPECT_TRUE(IsGreeting(Greeting()));
  EXPECT_FALSE(IsGreeting({}));
  EXPECT_FALSE(IsGreeting({FrameOf("x")}));
  EXPECT_FALSE(IsGreeting({FrameOf(""), FrameOf("")}));
}

TEST_F(ZmqDealerTest, HasNoSocketBeforeItConnects) {
  Dealer alone(this, kLife);
  alone.dealer.Check();
  EXPECT_EQ(alone.dealer.socket(), nullptr);
  EXPECT_EQ(alone.dealer.monitor(), nullptr);
  EXPECT_FALSE(alone.dealer.connected());
  EXPECT_FALSE(alone.dealer.Send(PacketOf("x")));
  EXPECT_EQ(alone.dealer.Receive(9, &alone.heard), 0);
}

TEST_F(ZmqDealerTest, StandsWhenThePeerHasAnswered) {
  Listen();
  router_receives_ = false;
  Dealer& own = Connect();
  EXPECT_FALSE(own.dealer.Send(PacketOf("early")));
  ASSERT_TRUE(Until([&] { return router_->Receive(9, &heard_) > 0; }));  // the greeting
  EXPECT_EQ(heard_.connected, std::vector<int>{1});
  ASSERT_TRUE(Until([&] { return own.dealer.connected(); }));
  EXPECT_EQ(own.heard.connected, std::vector<int>{0});
  EXPECT_TRUE(own.dealer.Send(PacketOf("now")));
}

TEST_F(ZmqDealerTest, KeepsItsConnectionToAKnownEndpoint) {
  Listen();
  Dealer& own = Connected();
  zmq::socket_t* const socket = own.dealer.socket();
  const void* const handle = socket->handle();
  own.dealer.Connect(router_->endpoint());
  EXPECT_EQ(own.dealer.socket()->handle(), handle);
  EXPECT_TRUE(own.dealer.connected());
}

// The peer's end and the new connection come at about the same time, in any order.
TEST_F(ZmqDealerTest, GoesToAnotherEndpoint) {
  Listen();
  Dealer& own = Connected();
  for (size_t moves = 1; moves <= 20; ++moves) {
    ListenElsewhere();
    own.dealer.Connect(router_->endpoint());
    EXPECT_FALSE(own.dealer.connected());
    ASSERT_TRUE(UntilConnected(&own));
    EXPECT_EQ(own.heard.connected.size(), 1 + moves);
  }
}

// Only the test's clock tells that the peer is late.
TEST_F(ZmqDealerTest, AsksAgainIfThePeerDoesNotAnswer) {
  Listen();
  router_receives_ = false;
  Dealer& own = Connect();
  const HeardLog log;
  const int64_t never = own.dealer.next_check();
  ASSERT_TRUE(Until([&] { return own.dealer.next_check() != never; }));  // the handshake is done
  clock_.now = own.dealer.next_check() - 1;
  own.dealer.Check();
  EXPECT_NE(own.dealer.socket(), nullptr);
  clock_.now += 1;
  own.dealer.Check();
  EXPECT_EQ(own.dealer.socket(), nullptr);
  EXPECT_TRUE(
      log.Has(" does not answer. Does it belong to this job, and does it have the same keys? "
              "Trying again"));
  clock_.now = own.dealer.next_check();
  router_receives_ = true;
  ASSERT_TRUE(Until([&] { return own.dealer.connected(); }));
}

TEST_F(ZmqDealerTest, SaysOnceThatItIsRefused) {
  Listen();
  dealers_.push_back(std::make_unique<Dealer>(this, kLife));
  Dealer& own = *dealers_[0];
  own.options.secrets.token = JobSecrets::Make(1).token;
  const HeardLog log;
  own.dealer.Connect(router_->endpoint());
  ASSERT_TRUE(Until([&] { return own.counts.failed_handshakes > 0; }));
  EXPECT_TRUE(log.Has("process 0 at "));
  EXPECT_TRUE(log.Has(" refuses this process"));
  EXPECT_FALSE(own.dealer.connected());
}

TEST_F(ZmqDealerTest, ClosesTheConnectionToAPeerThatOffends) {
  Listen();
  Dealer& own = Connected();
  own.options.max_frames = 2;
  const HeardLog log;
  const Packet large = {FrameOf("a"), FrameOf("b"), FrameOf("c")};
  for (int i = 0; i < kMostOffences; ++i) EXPECT_TRUE(router_->Send(1, large));
  ASSERT_TRUE(Until([&] { return !own.dealer.connected(); }));
  EXPECT_EQ(own.counts.dropped, kMostOffences);
  EXPECT_TRUE(own.heard.packets.empty());
  EXPECT_TRUE(log.Has("its connection is closed for 10 s"));
  EXPECT_EQ(own.dealer.next_check(), clock_.now + 10 * kSecond);
}

}  // namespace
}  // namespace singa
