// Tests the gate's answers to the questions that ZeroMQ would ask. zmq_stranger_test.cc tests it
// with real connections.
#include "comm/transport/zmq_gate.h"

#include <gtest/gtest.h>
#include <zmq.h>

#include <array>

#include "comm/transport/zmq_settings.h"
#include "singa/base/str_cat.h"
#include "support/heard_log.h"
#include "support/sim_schedule.h"

namespace singa {
namespace {

constexpr char kLife[] = "0123456789abcdef";
constexpr int kPort = 4000;
using Frames = std::vector<std::string>;

class ZmqGateTest : public testing::Test {
 protected:
  ZmqGateTest() { asker_.connect("inproc://zeromq.zap.01"); }

  // Makes the gate of process 1 of three.
  ZmqGate& Open(bool curve) {
    gate_ = std::make_unique<ZmqGate>(&context_, &clock_, 1, 3, secrets_, curve);
    gate_->SetPort(kPort);
    return *gate_;
  }
  Frames Answer(const Frames& question) {
    asker_.send(zmq::message_t(), zmq::send_flags::sndmore);  // as a REQ does
    for (size_t i = 0; i < question.size(); ++i)
      asker_.send(zmq::buffer(question[i]),
                  i + 1 < question.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    gate_->Answer();
    Frames answer;
    for (zmq::message_t frame; asker_.recv(frame, zmq::recv_flags::dontwait);)
      answer.push_back(frame.to_string());
    if (!answer.empty()) answer.erase(answer.begin());
    return answer;
  }
  Frames Plain(const std::string& name, const std::string& password,
               const std::string& address = "10.0.0.1") {
    return Answer({"1.0", "7", "singa", address, name, "PLAIN", name, password});
  }
  Frames Curve(const std::string& key) {
    return Answer({"1.0", "7", "singa", "10.0.0.1", "", "CURVE", key});
  }
  std::string PasswordOfRank(int rank) const {
    return PasswordOf(secrets_.token, NameOf(rank), 1, kPort);
  }
  static std::string NameOf(int rank) { return ToString(RoutingId{rank, kLife, 1}); }
  static Frames Admitted(int rank) { return {"1.0", "7", "200", "OK", std::to_string(rank), ""}; }

  // Returns the 32 bytes of a key.
  static std::string Bytes(const std::string& z85) {
    std::array<uint8_t, 32> bytes;
    EXPECT_NE(zmq_z85_decode(bytes.data(), z85.c_str()), nullptr);
    return {bytes.begin(), bytes.end()};
  }

  const Frames refused_ = {"1.0", "7", "400", "Refused", "", ""};
  const JobSecrets secrets_ = JobSecrets::Make(3);
  SimClock clock_;
  zmq::context_t context_{1};
  zmq::socket_t asker_ = MakeSocket(&context_, ZMQ_DEALER);
  std::unique_ptr<ZmqGate> gate_;
};

TEST(RoutingIdTest, IsReadAsItIsWritten) {
  const RoutingId id{12, kLife, 345};
  EXPECT_EQ(ToString(id), "r12.0123456789abcdef.345");
  RoutingId read;
  ASSERT_TRUE(ParseRoutingId(ToString(id), &read));
  EXPECT_EQ(read.rank, 12);
  EXPECT_EQ(read.incarnation, kLife);
  EXPECT_EQ(read.connection, 345);
}

TEST(RoutingIdTest, OtherTextsAreNone) {
  RoutingId id;
  for (const char* text :
       {"", "r", "r1", "r1.", "x1.0123456789abcdef.1", "r1.0123456789abcde.1",
        "r1.0123456789abcdef.", "r1.0123456789abcdef.1 ", "r01.0123456789abcdef.1",
        "r-1.0123456789abcdef.1", "r1.0123456789abcdef.99999999999999999999"})
    EXPECT_FALSE(ParseRoutingId(text, &id)) << text;
}

TEST(RoutingIdTest, APasswordIsOfOneNameServerAndPort) {
  const std::string token = JobSecrets::Make(1).token, password = PasswordOf(token, "r1", 0, 5);
  EXPECT_EQ(PasswordOf(token, "r1", 0, 5), password);
  EXPECT_NE(PasswordOf(token, "r2", 0, 5), password);
  EXPECT_NE(PasswordOf(token, "r1", 1, 5), password);
  EXPECT_NE(PasswordOf(token, "r1", 0, 6), password);
  EXPECT_NE(PasswordOf(JobSecrets::Make(1).token, "r1", 0, 5), password);
  EXPECT_NE(ServerName(token, 0).substr(2), ServerName(token, 1).substr(2));
}

TEST_F(ZmqGateTest, AProcessOfAHigherRankMayConnect) {
  Open(false);
  EXPECT_EQ(Plain(NameOf(2), PasswordOfRank(2)), Admitted(2));
  EXPECT_EQ(gate_->refused(), 0);
}

TEST_F(ZmqGateTest, ProcessesOfOtherRanksMayNot) {
  Open(false);
  for (const int rank : {0, 1, 3, 2000000000})
    EXPECT_EQ(Plain(NameOf(rank), PasswordOfRank(rank)), refused_) << rank;
  EXPECT_EQ(gate_->refused(), 4);
}

TEST_F(ZmqGateTest, AWrongPasswordIsRefused) {
  Open(false);
  EXPECT_EQ(Plain(NameOf(2), ""), refused_);
  EXPECT_EQ(Plain(NameOf(2), secrets_.token), refused_);
  EXPECT_EQ(Plain(NameOf(2), PasswordOfRank(2) + "0"), refused_);
  gate_->SetPort(kPort + 1);
  EXPECT_EQ(Plain(NameOf(2), PasswordOfRank(2)), refused_);
}

TEST_F(ZmqGateTest, AKeyOfTheJobTellsTheRank) {
  Open(true);
  EXPECT_EQ(Curve(Bytes(secrets_.keys[2].public_key)), Admitted(2));
  EXPECT_EQ(Curve(Bytes(secrets_.keys[0].public_key)), refused_);
  EXPECT_EQ(Curve(Bytes(JobSecrets::Make(1).keys[0].public_key)), refused_);
  EXPECT_EQ(Curve(secrets_.keys[2].public_key), refused_);  // as text, not bytes
}

TEST_F(ZmqGateTest, AnotherMechanismIsRefused) {
  Open(true);
  EXPECT_EQ(Plain(NameOf(2), PasswordOfRank(2)), refused_);
  EXPECT_EQ(Answer({"1.0", "7", "singa", "10.0.0.1", "", "NULL"}), refused_);
}

TEST_F(ZmqGateTest, QuestionsOfAnotherFormAreRefused) {
  Open(false);
  const std::string name = NameOf(2), password = PasswordOfRank(2);
  EXPECT_EQ(Answer({"2.0", "7", "singa", "a", name, "PLAIN", name, password}), refused_);
  EXPECT_EQ(Answer({"1.0", "7", "singa", "a", name, "PLAIN", name, password, "more"}), refused_);
  EXPECT_EQ(Answer({"1.0", "7"}), refused_);
  EXPECT_EQ(Answer(Frames(50, "7"))[2], "400");
}

TEST_F(ZmqGateTest, AnswersAllQuestionsThatWait) {
  Open(false);
  Plain(NameOf(2), PasswordOfRank(2));
  for (int i = 0; i < 3; ++i) {
    asker_.send(zmq::message_t(), zmq::send_flags::sndmore);
    asker_.send(zmq::buffer("1.0", 3), zmq::send_flags::none);
  }
  gate_->Answer();
  EXPECT_EQ(gate_->refused(), 3);
}

// Strangers must not fill the log.
TEST_F(ZmqGateTest, NamesEachSourceOnceAndAtMostOneASecond) {
  Open(false);
  const auto is_told = [&](const std::string& address) {
    const HeardLog log;
    Plain(NameOf(2), "", address);
    return log.Has("refused a connection from " + address +
                   ": it does not know this job's token (");
  };
  EXPECT_TRUE(is_told("10.0.0.1"));
  EXPECT_FALSE(is_told("10.0.0.2"));  // in the same second
  clock_.now += kSecond;
  EXPECT_FALSE(is_told("10.0.0.1"));
  EXPECT_TRUE(is_told("10.0.0.3"));
  EXPECT_EQ(gate_->refused(), 4);
}

}  // namespace
}  // namespace singa
