#include "comm/transport/zmq_settings.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

int OptionOf(zmq::socket_t* socket, int option) {
  int value = -1;
  size_t size = sizeof(value);
  EXPECT_EQ(zmq_getsockopt(socket->handle(), option, &value, &size), 0) << option;
  return value;
}

class ZmqSettingsTest : public testing::TestWithParam<int> {
 protected:
  zmq::context_t context_{1};
  zmq::socket_t socket_ = MakeSocket(&context_, GetParam());
};
INSTANTIATE_TEST_SUITE_P(Types, ZmqSettingsTest, testing::Values(ZMQ_ROUTER, ZMQ_DEALER));

// ZeroMQ's own defaults bound nothing: frames of any size, a handshake of 30 s, no heartbeats,
// endless linger.
TEST_P(ZmqSettingsTest, BoundEveryWaitAndSize) {
  SocketSettings settings;
  settings.max_frame_bytes = 12345;
  settings.ipv6 = true;
  Apply(settings, &socket_);
  int64_t frame = 0;
  size_t size = sizeof(frame);
  ASSERT_EQ(zmq_getsockopt(socket_.handle(), ZMQ_MAXMSGSIZE, &frame, &size), 0);
  EXPECT_EQ(frame, 12345);
  const std::pair<int, int> expected[] = {{ZMQ_IMMEDIATE, 1},
                                          {ZMQ_SNDHWM, 256},
                                          {ZMQ_RCVHWM, 256},
                                          {ZMQ_LINGER, 1000},
                                          {ZMQ_HANDSHAKE_IVL, 3000},
                                          {ZMQ_HEARTBEAT_IVL, 1000},
                                          {ZMQ_HEARTBEAT_TIMEOUT, 5000},
                                          {ZMQ_HEARTBEAT_TTL, 5000},
                                          {ZMQ_CONNECT_TIMEOUT, 3000},
                                          {ZMQ_RECONNECT_IVL, 50},
                                          {ZMQ_RECONNECT_IVL_MAX, 1000},
                                          {ZMQ_TCP_KEEPALIVE, 1},
                                          {ZMQ_TCP_KEEPALIVE_IDLE, 10},
                                          {ZMQ_TCP_KEEPALIVE_INTVL, 5},
                                          {ZMQ_TCP_KEEPALIVE_CNT, 3},
                                          {ZMQ_TCP_MAXRT, 20000},
                                          {ZMQ_IPV6, 1}};
  for (const auto& [option, value] : expected)
    EXPECT_EQ(OptionOf(&socket_, option), value) << option;
}

// ROUTER_MANDATORY and ROUTER_HANDOVER cannot be read back, so their effects are tested.
TEST(ZmqSettings, ARouterTellsOfAPeerThatIsNotThere) {
  zmq::context_t context{1};
  zmq::socket_t router = MakeSocket(&context, ZMQ_ROUTER);
  Apply({}, &router);
  EXPECT_EQ(zmq_send(router.handle(), "nobody", 6, ZMQ_SNDMORE | ZMQ_DONTWAIT), -1);
  EXPECT_EQ(zmq_errno(), EHOSTUNREACH);
}

TEST(ZmqSettings, APeerCannotTakeAnothersName) {
  zmq::context_t context{1};
  zmq::socket_t router = MakeSocket(&context, ZMQ_ROUTER);
  Apply({}, &router);
  router.bind("tcp://127.0.0.1:*");
  const std::string address = router.get(zmq::sockopt::last_endpoint);
  router.set(zmq::sockopt::rcvtimeo, 2000);
  zmq::socket_t first(context, ZMQ_DEALER), second(context, ZMQ_DEALER);
  zmq::message_t name, text;
  for (zmq::socket_t* dealer : {&first, &second}) {
    dealer->set(zmq::sockopt::routing_id, "same");
    dealer->set(zmq::sockopt::linger, 0);
    dealer->connect(address);
    dealer->send(zmq::buffer("hello", 5), zmq::send_flags::none);
    if (dealer != &first) break;
    ASSERT_TRUE(router.recv(name) && router.recv(text));
  }
  router.set(zmq::sockopt::rcvtimeo, 200);
  EXPECT_FALSE(router.recv(name)) << "the second one was heard: " << name.to_string();
}

}  // namespace
}  // namespace singa
