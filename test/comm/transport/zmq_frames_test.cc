#include "comm/transport/zmq_frames.h"

#include <gtest/gtest.h>

#include "comm/transport/zmq_settings.h"
#include "support/comm/text_frame.h"

namespace singa {
namespace {

using Texts = std::vector<std::string>;

// A ROUTER and a DEALER that are connected within the process.
class ZmqFramesTest : public testing::Test {
 protected:
  ZmqFramesTest() {
    Apply({}, &router_);
    router_.bind("inproc://frames");
    dealer_.set(zmq::sockopt::routing_id, "dealer");
    dealer_.connect("inproc://frames");
  }
  static Packet PacketOf(const Texts& texts) {
    Packet packet;
    for (const std::string& text : texts) packet.push_back(FrameOf(text));
    return packet;
  }
  Received AtRouter(int max_frames = 9) {
    Received received;
    EXPECT_TRUE(ReceiveFrames(&router_, zmq::socket_type::router, max_frames, &received));
    return received;
  }
  static Texts TextsOf(const Packet& packet) {
    Texts texts;
    for (const Frame& frame : packet) texts.push_back(TextOf(frame));
    return texts;
  }

  zmq::context_t context_{1};
  zmq::socket_t router_ = MakeSocket(&context_, ZMQ_ROUTER);
  zmq::socket_t dealer_ = MakeSocket(&context_, ZMQ_DEALER);
};

TEST_F(ZmqFramesTest, APacketArrivesWithItsFrames) {
  const Texts texts = {"head", "", std::string(100'000, 'x'), std::string(2048, 'y'),
                       std::string(2049, 'z')};
  EXPECT_EQ(SendFrames(&dealer_, "", PacketOf(texts)), Sent::kYes);
  const Received received = AtRouter();
  EXPECT_EQ(received.from, "dealer");
  EXPECT_EQ(TextsOf(received.packet), texts);
  EXPECT_FALSE(received.too_many_frames);
}

TEST_F(ZmqFramesTest, ARouterAnswersByName) {
  SendFrames(&dealer_, "", PacketOf({"hello"}));
  AtRouter();
  EXPECT_EQ(SendFrames(&router_, "dealer", PacketOf({"a", "b"})), Sent::kYes);
  Received received;
  ASSERT_TRUE(ReceiveFrames(&dealer_, zmq::socket_type::dealer, 9, &received));
  EXPECT_EQ(TextsOf(received.packet), (Texts{"a", "b"}));
  EXPECT_EQ(received.from, "");
}

TEST_F(ZmqFramesTest, ARouterTellsThatItKnowsNoSuchPeer) {
  EXPECT_EQ(SendFrames(&router_, "nobody", PacketOf({"a", "b"})), Sent::kNoSuchPeer);
  SendFrames(&dealer_, "", PacketOf({"hello"}));
  AtRouter();
  EXPECT_EQ(SendFrames(&router_, "dealer", PacketOf({"c"})), Sent::kYes);
  Received received;
  ASSERT_TRUE(ReceiveFrames(&dealer_, zmq::socket_type::dealer, 9, &received));
  EXPECT_EQ(TextsOf(received.packet), Texts{"c"});
}

TEST_F(ZmqFramesTest, ADealerWithoutAConnectionDoesNotWait) {
  zmq::socket_t alone = MakeSocket(&context_, ZMQ_DEALER);
  EXPECT_EQ(SendFrames(&alone, "", PacketOf({"a", "b"})), Sent::kQueueFull);
}

TEST_F(ZmqFramesTest, NothingHasCome) {
  Received received;
  received.from = "before";
  received.too_many_frames = true;
  EXPECT_FALSE(ReceiveFrames(&router_, zmq::socket_type::router, 9, &received));
  EXPECT_EQ(received.from, "");
  EXPECT_FALSE(received.too_many_frames);
}

TEST_F(ZmqFramesTest, APacketOfTooManyFramesIsDropped) {
  SendFrames(&dealer_, "", PacketOf({"a", "b", "c"}));
  SendFrames(&dealer_, "", PacketOf({"d", "e", "f", "g"}));
  SendFrames(&dealer_, "", PacketOf({"h"}));
  EXPECT_EQ(AtRouter(3).packet.size(), 3u);
  const Received dropped = AtRouter(3);
  EXPECT_TRUE(dropped.too_many_frames);
  EXPECT_TRUE(dropped.packet.empty());
  EXPECT_EQ(TextsOf(AtRouter(3).packet), Texts{"h"});  // no frame is left over
}

TEST_F(ZmqFramesTest, LargeFramesAreNotCopied) {
  const Packet packet = PacketOf({std::string(100'000, 'x')});
  SendFrames(&dealer_, "", packet);
  EXPECT_EQ(AtRouter().packet[0].data(), packet[0].data());
  const Packet small = PacketOf({std::string(2048, 'x')});
  SendFrames(&dealer_, "", small);
  EXPECT_NE(AtRouter().packet[0].data(), small[0].data());
}

TEST_F(ZmqFramesTest, NumbersInFramesAreAligned) {
  for (const size_t bytes : {4, 2048, 2052, 8192}) {
    SendFrames(&dealer_, "", PacketOf({"h", std::string(bytes, 'x')}));
    const Received received = AtRouter();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(received.packet[1].data()) % alignof(float), 0u) << bytes;
  }
}

}  // namespace
}  // namespace singa
