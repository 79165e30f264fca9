// Tests one property of the channel at a time, over a network that tests control.
#include "comm/transport/reliable_channel.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/comm/link_listener.h"
#include "support/sim_network.h"

namespace singa {
namespace {

// Ear is a process that keeps the events of its channel.
struct Ear final : SimProcess, LinkListener {
  Ear(const SimStart& start, const ChannelOptions& options)
      : channel({"0123456789abcdef", start.rank, start.ranks, start.incarnation}, start.transport,
                start.clock, this, options) {}
  void OnPacket(int rank, Packet packet) override { channel.OnPacket(rank, std::move(packet)); }
  void OnConnected(int rank) override { channel.OnConnected(rank); }
  int64_t OnTime() override { return channel.OnTime(); }
  void OnMessage(int rank, Message message) override {
    if (!message.payload.empty()) last_payload = message.payload[0].data();
    if (echo) channel.Send(rank, Numbered(message.head.step()));
    LinkListener::OnMessage(rank, std::move(message));
  }

  ReliableChannel channel;
  bool echo = false;
  const void* last_payload = nullptr;
};

class ReliableChannelTest : public testing::Test {
 protected:
  Ear& At(int rank) { return static_cast<Ear&>(*network.process(rank)); }
  const ChannelCounters& Counters(int rank) { return At(rank).channel.counters(); }
  void Send(int from, int to, int64_t first, int64_t last, const std::string& payload = "") {
    network.Tell(from, [&](SimProcess*) {
      for (int64_t n = first; n <= last; ++n) At(from).channel.Send(to, Numbered(n, payload));
    });
  }
  // Starts ranks 0 and 1, and waits until they are connected.
  void Meet() {
    network.Start(0);
    network.Start(1);
    Send(0, 1, 0, 0);
    Send(1, 0, 0, 0);
    network.RunFor(kSimSecond);
    ASSERT_TRUE(At(0).channel.Quiet() && At(1).channel.Quiet());
    At(0).events.clear();
    At(1).events.clear();
  }

  ChannelOptions options;
  SimNetwork network{
      1, 3, {}, [this](const SimStart& start) { return std::make_unique<Ear>(start, options); }};
};

TEST_F(ReliableChannelTest, MessagesSentBeforeTheOtherStartsArriveInOrder) {
  network.Start(0);
  Send(0, 1, 1, 100);
  network.RunFor(5 * kSimSecond);
  network.Start(1);
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 100));
  EXPECT_TRUE(At(0).channel.Quiet());
}

TEST_F(ReliableChannelTest, AMessageToTheOwnRankNeedsNoTransport) {
  network.Start(0);
  Send(0, 0, 1, 3);
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(0).Steps(0), Range(1, 3));
  EXPECT_EQ(network.counters().sent, 0);
}

TEST_F(ReliableChannelTest, WhoAnswersHimselfForEverDoesNotStopTheOthers) {
  Meet();
  At(0).echo = true;
  Send(0, 0, 1, 1);
  At(1).channel.Send(0, Numbered(5));
  for (int i = 0; i < 100; ++i) network.Step();
  EXPECT_GT(At(0).Steps(0).size(), 10u);
  EXPECT_FALSE(At(0).channel.Quiet());
}

TEST_F(ReliableChannelTest, PayloadIsSharedNotCopied) {
  Meet();
  const Frame frame = Frame::Copy("abcd", 4);
  Message message = Numbered(1);
  message.payload = {frame};
  network.Tell(0, [&](SimProcess*) { At(0).channel.Send(1, message); });
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(1).last_payload, frame.data());
}

TEST_F(ReliableChannelTest, AnAcknowledgementServesManyMessages) {
  Meet();
  const int64_t spoken = Counters(1).spoken;
  Send(0, 1, 1, 160);
  network.RunFor(kSimSecond);
  EXPECT_EQ(Counters(1).spoken - spoken, 160 / options.ack_every);
  Send(0, 1, 161, 165);
  network.RunFor(kSimSecond);
  EXPECT_EQ(Counters(1).spoken - spoken, 160 / options.ack_every + 1);
  EXPECT_EQ(Counters(0).resent, 0);
  EXPECT_TRUE(At(0).channel.Quiet());
}

TEST_F(ReliableChannelTest, AnAcknowledgementRidesOnAnAnswer) {
  Meet();
  const int64_t spoken = Counters(1).spoken;
  At(1).echo = true;
  Send(0, 1, 1, 160);
  network.RunFor(kSimSecond);
  EXPECT_EQ(Counters(1).spoken, spoken);
  EXPECT_EQ(At(0).Steps(1), Range(1, 160));
}

TEST_F(ReliableChannelTest, NoMoreThanTheWindowIsUnderWay) {
  options.window_messages = 4;
  Meet();
  network.Pause(1);
  const int64_t sent = network.counters().sent;
  Send(0, 1, 1, 4);
  Send(0, 1, 5, 10);
  EXPECT_EQ(At(0).channel.Queued(1), 10);
  EXPECT_EQ(network.counters().sent - sent, 4);
  network.Resume(1);
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 10));
  EXPECT_EQ(At(0).channel.Queued(1), 0);
}

TEST_F(ReliableChannelTest, NoMoreThanTheWindowsBytesAreUnderWay) {
  options.window_bytes = 1000;
  Meet();
  network.Pause(1);
  const int64_t sent = network.counters().sent;
  Send(0, 1, 1, 10, std::string(300, 'x'));
  EXPECT_EQ(network.counters().sent - sent, 3);
  network.Resume(1);
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 10));
}

TEST_F(ReliableChannelTest, AMessageLargerThanTheWindowGoesAlone) {
  options.window_bytes = 100;
  Meet();
  Send(0, 1, 1, 3, std::string(300, 'x'));
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 3));
}

TEST_F(ReliableChannelTest, OnlyTheOldestIsSentAgainAndEverLater) {
  Meet();
  network.faults.drop = 1;
  Send(0, 1, 1, 5);
  const int64_t begin = network.clock().Now();
  std::vector<int64_t> milliseconds;
  while (milliseconds.size() < 7) {
    const int64_t before = network.counters().sent;
    ASSERT_TRUE(network.Step());
    if (network.counters().sent == before) continue;
    ASSERT_EQ(network.counters().sent, before + 1);
    milliseconds.push_back((network.clock().Now() - begin) / kSimMillisecond);
  }
  EXPECT_EQ(milliseconds, (std::vector<int64_t>{200, 600, 1400, 3000, 5000, 7000, 9000}));
  network.faults.drop = 0;
  network.RunFor(3 * kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 5));
  EXPECT_EQ(Counters(0).resent, 7 + 1 + 4);
}

TEST_F(ReliableChannelTest, AConnectionThatStandsAgainIsUsedAtOnce) {
  Meet();
  network.faults.drop = 1;
  Send(0, 1, 1, 50);
  network.RunFor(20 * kSimSecond);
  network.faults.drop = 0;
  network.Reset(0, 1);
  network.RunFor(10 * kSimMillisecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 50));
  EXPECT_EQ(Counters(1).out_of_order, 0);
}

TEST_F(ReliableChannelTest, WhatTheTransportDoesNotTakeIsSentLater) {
  Meet();
  network.Disconnect(0, 1);
  Send(0, 1, 1, 50);
  network.RunFor(kSimSecond);
  EXPECT_GT(Counters(0).blocked, 0);
  network.Connect(0, 1);
  network.RunFor(10 * kSimMillisecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 50));
  EXPECT_EQ(Counters(0).resent, 0);
}

TEST_F(ReliableChannelTest, ARepeatedMessageIsDeliveredOnce) {
  Meet();
  network.faults.duplicate = 1;
  Send(0, 1, 1, 50);
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 50));
  EXPECT_EQ(Counters(1).duplicates, 50);
}

TEST_F(ReliableChannelTest, WhoIsSilentForTooLongIsGivenUpOnce) {
  options.give_up = 10 * kSimSecond;
  Meet();
  network.Crash(1);
  network.RunFor(5 * kSimSecond);
  Send(0, 1, 1, 3);
  network.RunFor(9 * kSimSecond);
  EXPECT_TRUE(At(0).events.empty());
  network.RunFor(30 * kSimSecond);
  ASSERT_EQ(At(0).events.size(), 1u);
  EXPECT_EQ(At(0).events[0].text,
            "no answer for 10 s; 3 messages wait; its last valid packet came 15 s ago");
  Send(0, 1, 4, 5);
  EXPECT_EQ(Counters(0).dropped, 5);
  EXPECT_TRUE(At(0).channel.Quiet());
}

TEST_F(ReliableChannelTest, WhoWasGivenUpComesBackAsARestart) {
  options.give_up = 10 * kSimSecond;
  Meet();
  network.Crash(1);
  Send(0, 1, 1, 3);
  network.RunFor(11 * kSimSecond);
  network.Start(1);
  Send(1, 0, 7, 7);
  network.RunFor(kSimSecond);
  Send(0, 1, 4, 5);
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(4, 5));
  ASSERT_EQ(At(0).events.size(), 3u);
  EXPECT_EQ(At(0).events[1].what, LinkEvent::kRestarted);
  EXPECT_EQ(At(0).events[2].step, 7);
}

TEST_F(ReliableChannelTest, WhoNeverCameIsGivenUpToo) {
  options.give_up = 10 * kSimSecond;
  network.Start(0);
  Send(0, 2, 1, 1);
  network.RunFor(11 * kSimSecond);
  ASSERT_EQ(At(0).events.size(), 1u);
  EXPECT_EQ(At(0).events[0].text,
            "no answer for 10 s; 1 message waits; no valid packet came from it");
}

TEST_F(ReliableChannelTest, WhoIsSlowButGetsOnIsNotGivenUp) {
  options.give_up = 3 * kSimSecond;
  options.window_messages = 1;
  Meet();
  network.faults.min_delay = network.faults.max_delay = kSimSecond;
  Send(0, 1, 1, 20);
  network.RunFor(100 * kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 20));
  EXPECT_EQ(At(0).Count(LinkEvent::kGivenUp), 0);
}

TEST_F(ReliableChannelTest, WhoWasStoppedItselfDoesNotGiveOthersUp) {
  options.give_up = 10 * kSimSecond;
  Meet();
  network.Disconnect(0, 1);
  Send(0, 1, 1, 3);
  network.Pause(0);
  network.RunFor(100 * kSimSecond);
  network.Resume(0);
  network.RunFor(5 * kSimSecond);
  EXPECT_TRUE(At(0).events.empty());
  network.Connect(0, 1);
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(1).Steps(0), Range(1, 3));
}

TEST_F(ReliableChannelTest, WhenAProcessWasLastHeardIsKnown) {
  network.Start(0);
  EXPECT_EQ(At(0).channel.LastHeard(1), -1);
  network.Start(1);
  Send(1, 0, 1, 1);
  network.RunFor(kSimSecond);
  const int64_t heard = At(0).channel.LastHeard(1);
  EXPECT_GT(heard, 0);
  network.RunFor(kSimSecond);
  EXPECT_EQ(At(0).channel.LastHeard(1), heard);
}

}  // namespace
}  // namespace singa
