// Tests peers that speak ZeroMQ, but do not belong to the job or claim another identity.
#include <gtest/gtest.h>

#include <string>
#include <zmq.hpp>

#include "comm/transport/zmq_gate.h"
#include "comm/zmq_ranks.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr char kIncarnation[] = "0123456789abcdef";

// Stranger is a DEALER socket that sends whatever a test wants.
class Stranger {
 public:
  explicit Stranger(const Endpoint& to) : to_("tcp://" + ToString(to)) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::immediate, 0);  // messages are sent as soon as ZeroMQ is connected
  }
  void UsePlain(const std::string& name, const std::string& password) {
    socket.set(zmq::sockopt::plain_username, name);
    socket.set(zmq::sockopt::plain_password, password);
  }
  void UseCurve(const KeyPair& own, const std::string& server) {
    socket.set(zmq::sockopt::curve_publickey, own.public_key);
    socket.set(zmq::sockopt::curve_secretkey, own.secret_key);
    socket.set(zmq::sockopt::curve_serverkey, server);
  }
  void SayAll(const std::string& routing_id) {
    if (!routing_id.empty()) socket.set(zmq::sockopt::routing_id, routing_id);
    socket.connect(to_);
    socket.send(zmq::message_t(), zmq::send_flags::dontwait);  // greets
    socket.send(zmq::buffer("do this", 7), zmq::send_flags::dontwait);
  }

  zmq::context_t context{1};
  zmq::socket_t socket{context, ZMQ_DEALER};

 private:
  std::string to_;
};

Endpoint EndpointOf(Ranks* ranks) { return (*ranks)[0].transport.endpoint(); }
const ZmqCounts& CountsOf(Ranks* ranks) { return (*ranks)[0].transport.counts(); }

// Expects that rank 0 refuses a connection and hears nothing, and that its own peers still reach
// it.
void ExpectRefused(Ranks* ranks, int64_t ZmqCounts::*count) {
  ASSERT_TRUE(PollUntil(ranks->Pointers(), [&] { return CountsOf(ranks).*count > 0; }));
  PollUntil(
      ranks->Pointers(), [] { return false; }, 100);
  EXPECT_TRUE((*ranks)[0].recorder.packets.empty());
  ASSERT_TRUE(ranks->Meet());
  EXPECT_TRUE((*ranks)[1].transport.Send(0, {FrameOf("legitimate")}));
  EXPECT_TRUE(
      PollUntil(ranks->Pointers(), [&] { return (*ranks)[0].recorder.packets.size() == 1; }));
}

std::string NameOf(int rank) { return ToString(RoutingId{rank, kIncarnation, 1}); }

TEST(ZmqStranger, WithoutAMechanismIsRefused) {
  Ranks ranks(2);
  Stranger stranger(EndpointOf(&ranks));
  stranger.SayAll(NameOf(1));
  ExpectRefused(&ranks, &ZmqCounts::failed_handshakes);
}

TEST(ZmqStranger, WithAWrongTokenIsRefused) {
  Ranks ranks(2);
  Stranger stranger(EndpointOf(&ranks));
  const std::string other = JobSecrets::Make(1).token;
  stranger.UsePlain(NameOf(1), PasswordOf(other, NameOf(1), 0, EndpointOf(&ranks).port));
  stranger.SayAll(NameOf(1));
  ExpectRefused(&ranks, &ZmqCounts::refused);
}

TEST(ZmqStranger, WithTheTokenItselfIsRefused) {  // the token is never sent, so nobody learns it
  Ranks ranks(2);
  Stranger stranger(EndpointOf(&ranks));
  stranger.UsePlain(NameOf(1), ranks.secrets.token);
  stranger.SayAll(NameOf(1));
  ExpectRefused(&ranks, &ZmqCounts::refused);
}

TEST(ZmqStranger, APasswordIsOfNoUseElsewhere) {
  Ranks ranks(3);
  const int port = EndpointOf(&ranks).port;
  const std::string& token = ranks.secrets.token;
  const std::pair<std::string, std::string> heard[] = {
      {NameOf(1), PasswordOf(token, NameOf(2), 0, port)},      // another process's
      {NameOf(1), PasswordOf(token, NameOf(1), 1, port)},      // for another process
      {NameOf(1), PasswordOf(token, NameOf(1), 0, port ^ 1)},  // at another port
      {NameOf(0), PasswordOf(token, NameOf(0), 0, port)},      // nobody of that rank connects
      {NameOf(3), PasswordOf(token, NameOf(3), 0, port)},      // no process has that rank
      {"r1", PasswordOf(token, "r1", 0, port)}};
  int64_t refused = 0;
  for (const auto& [name, password] : heard) {
    Stranger stranger(EndpointOf(&ranks));
    stranger.UsePlain(name, password);
    stranger.SayAll(name);
    ASSERT_TRUE(PollUntil({&ranks[0]}, [&] { return CountsOf(&ranks).refused > refused; })) << name;
    refused = CountsOf(&ranks).refused;
  }
  EXPECT_TRUE(ranks[0].recorder.packets.empty());
}

TEST(ZmqStranger, WithAnotherServersKeyGetsNowhere) {
  Ranks ranks(2, Security::kCurve);
  Stranger stranger(EndpointOf(&ranks));
  stranger.UseCurve(ranks.secrets.keys[1], JobSecrets::Make(1).keys[0].public_key);
  stranger.SayAll(NameOf(1));
  ExpectRefused(&ranks, &ZmqCounts::failed_handshakes);
}

TEST(ZmqStranger, WithAKeyThatIsNotOnTheListIsRefused) {
  Ranks ranks(2, Security::kCurve);
  Stranger stranger(EndpointOf(&ranks));
  stranger.UseCurve(JobSecrets::Make(1).keys[0], ranks.secrets.keys[0].public_key);
  stranger.SayAll(NameOf(1));
  ExpectRefused(&ranks, &ZmqCounts::refused);
}

TEST(ZmqStranger, ByTokenWhereKeysAreNeededIsRefused) {
  Ranks ranks(2, Security::kCurve);
  Stranger stranger(EndpointOf(&ranks));
  stranger.UsePlain(NameOf(1),
                    PasswordOf(ranks.secrets.token, NameOf(1), 0, EndpointOf(&ranks).port));
  stranger.SayAll(NameOf(1));
  ExpectRefused(&ranks, &ZmqCounts::failed_handshakes);
}

TEST(ZmqStranger, AProcessOfTheJobCannotSpeakForAnother) {
  for (const bool curve : {false, true}) {
    Ranks ranks(3, curve ? Security::kCurve : Security::kAuto);
    Stranger liar(EndpointOf(&ranks));
    if (curve)
      liar.UseCurve(ranks.secrets.keys[1], ranks.secrets.keys[0].public_key);
    else
      liar.UsePlain(NameOf(1),
                    PasswordOf(ranks.secrets.token, NameOf(1), 0, EndpointOf(&ranks).port));
    liar.SayAll(NameOf(2));
    ASSERT_TRUE(PollUntil({&ranks[0]}, [&] { return CountsOf(&ranks).dropped == 2; }));
    EXPECT_TRUE(ranks[0].recorder.packets.empty());
    EXPECT_TRUE(ranks[0].recorder.connected.empty());
  }
}

TEST(ZmqStranger, NamesThatAreNoneAreDropped) {
  Ranks ranks(2);
  int64_t dropped = 0;
  for (const char* name : {"", "x", "r1", "r1.", "r1.0123456789abcdef.", "r1.0123456789abcdef.01",
                           "r1.0123456789abcdef.1x", "r01.0123456789abcdef.1",
                           "r1.0123456789abcdef.99999999999999999999"}) {
    Stranger stranger(EndpointOf(&ranks));
    stranger.UsePlain(NameOf(1),
                      PasswordOf(ranks.secrets.token, NameOf(1), 0, EndpointOf(&ranks).port));
    stranger.SayAll(name);
    ASSERT_TRUE(PollUntil({&ranks[0]}, [&] { return CountsOf(&ranks).dropped == dropped + 2; }))
        << name;
    dropped += 2;
  }
  EXPECT_TRUE(ranks[0].recorder.packets.empty());
}

// Expects that a client hears nothing from a socket at a dead process's port. The socket accepts
// everybody and answers.
void ExpectNothingFromAServerOf(const JobSecrets& job, const std::string& server_name) {
  zmq::context_t context{1};
  SteadyClock clock;
  zmq::socket_t gate(context, ZMQ_REP), router(context, ZMQ_ROUTER);
  gate.bind("inproc://zeromq.zap.01");
  router.set(zmq::sockopt::plain_server, 1);
  if (!server_name.empty()) router.set(zmq::sockopt::routing_id, server_name);
  router.set(zmq::sockopt::linger, 0);
  router.bind("tcp://127.0.0.1:*");
  ZmqRank rank(OptionsOf(1, job));
  rank.transport.Connect(0, ParseEndpoint(router.get(zmq::sockopt::last_endpoint)));
  bool greeted = false;
  ASSERT_TRUE(PollUntil({&rank}, [&] {
    zmq::message_t frame, request;
    while (gate.recv(frame, zmq::recv_flags::dontwait)) {
      std::vector<std::string> question = {frame.to_string()};
      while (frame.more() && gate.recv(frame)) question.push_back(frame.to_string());
      for (const std::string& text : {std::string("1.0"), question[1], std::string("200"),
                                      std::string("OK"), std::string("1")})
        gate.send(zmq::buffer(text), zmq::send_flags::sndmore);
      gate.send(zmq::message_t(), zmq::send_flags::none);
    }
    if (router.recv(frame, zmq::recv_flags::dontwait)) {
      const std::string client = frame.to_string();
      static_cast<void>(router.recv(request));
      EXPECT_EQ(request.size(), 0u) << "told a fake server " << request.to_string();
      for (const char* answer : {"", "do this"}) {
        router.send(zmq::buffer(client), zmq::send_flags::sndmore);
        router.send(zmq::buffer(answer, strlen(answer)), zmq::send_flags::none);
      }
      greeted = true;
    }
    EXPECT_FALSE(rank.transport.Send(0, {FrameOf("secret gradients")}));
    return greeted && rank.transport.counts().dropped >= 2;
  }));
  EXPECT_TRUE(rank.recorder.packets.empty());
  EXPECT_TRUE(rank.recorder.connected.empty());
}

TEST(ZmqStranger, AFakeServerIsNeitherHeardNorTold) {
  const JobSecrets job = JobSecrets::Make(3);
  ExpectNothingFromAServerOf(job, "");
  ExpectNothingFromAServerOf(job, ServerName(JobSecrets::Make(1).token, 0));
  ExpectNothingFromAServerOf(job, ServerName(job.token, 1));
}

TEST(ZmqStranger, ProcessesOfTwoJobsDoNotMeet) {
  Ranks ranks(2), others(2);
  ZmqRank lost(OptionsOf(1, others.secrets));
  lost.transport.Connect(0, EndpointOf(&ranks));
  ASSERT_TRUE(PollUntil({&ranks[0], &lost}, [&] {
    return CountsOf(&ranks).refused > 0 && lost.transport.counts().failed_handshakes > 0;
  }));
  EXPECT_FALSE(lost.transport.connected(0));
}

}  // namespace
}  // namespace singa
