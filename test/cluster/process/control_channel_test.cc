// Tests the states that processes send for a checkpoint, by a channel without a network.
#include "cluster/process/control_channel.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "singa/base/error.h"

namespace singa {
namespace {

struct KeptMessages final : Outbox {
  void Post(Message message) override { messages.push_back(std::move(message)); }
  std::vector<Message> messages;
};

class ControlChannelTest : public ::testing::Test {
 protected:
  // Returns the messages in which another process sends a whole state.
  std::vector<Message> Pieces(const std::string& state) {
    KeptMessages sent;
    ControlChannel(1, 3, &sent, &deadline_, std::chrono::seconds(1)).SendState(0, state);
    return sent.messages;
  }
  void Add(int rank, const std::string& state) {
    for (const Message& piece : Pieces(state)) channel_.AddState(rank, piece);
  }

  const ProgressDeadline deadline_;
  KeptMessages out_;
  ControlChannel channel_{0, 3, &out_, &deadline_, std::chrono::seconds(1)};
};

TEST_F(ControlChannelTest, AStateComesInPiecesAndWhole) {
  const std::string large(700'000, 'x');
  EXPECT_EQ(Pieces(large).size(), 3u);
  Add(1, large);
  Add(2, "");
  EXPECT_EQ(channel_.AwaitStates({1, 3}), (std::vector<std::string>{large, ""}));
}

// Such a message would end the process in the stub's thread.
TEST_F(ControlChannelTest, AMessageThatNoPacketHoldsIsAnErrorOfTheConf) {
  ControlMessage begin;
  for (int i = 0; i < 20; ++i)
    begin.mutable_begin()->mutable_first_values()->add_files(std::string(4000, 'x'));
  try {
    channel_.SendToAll(begin);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitConfig);
    EXPECT_NE(std::string(error.what()).find("\"begin\""), std::string::npos) << error.what();
  }
  EXPECT_TRUE(out_.messages.empty());
}

// A process sends its state again while others are still missing.
TEST_F(ControlChannelTest, AStateThatNobodyAskedForHarmsNothing) {
  std::vector<std::string> states;
  std::thread waiting([&] { states = channel_.AwaitStates({1, 3}); });
  Add(1, "one");
  Add(1, "again");
  Add(2, "two");
  waiting.join();
  EXPECT_TRUE(states == (std::vector<std::string>{"one", "two"}) ||
              states == (std::vector<std::string>{"again", "two"}));
  Add(1, "next");
  Add(2, "next");
  const std::vector<std::string> next = channel_.AwaitStates({1, 3});
  EXPECT_TRUE(next[0] == "next" || next[0] == "again");
  EXPECT_EQ(next[1], "next");
}

}  // namespace
}  // namespace singa
