// Tests which incarnation of a process is taken as the newer one, in any order of arrivals.
#include <gtest/gtest.h>

#include "support/comm/link_end.h"

namespace singa {
namespace {

class HandshakeTest : public testing::Test {
 protected:
  int64_t Refused(const LinkEnd& end, Refusal refusal) {
    return end.channel.counters().refused[static_cast<int>(refusal)];
  }
  void Inject(LinkEnd* to, int rank, const PacketHeader& header) {
    to->channel.OnPacket(rank, EncodePacket(header, {}));
  }

  SimClock clock;
  LinkEnd a{0, 100, &clock};
  LinkEnd b{1, 201, &clock}, next_b{1, 202, &clock};
};

TEST_F(HandshakeTest, TwoThatBothBeginUnderstandEachOther) {
  a.channel.Send(1, Numbered(1));
  b.channel.Send(0, Numbered(2));
  Exchange(&clock, &a, &b);
  EXPECT_EQ(b.Steps(0), Range(1, 1));
  EXPECT_EQ(a.Steps(1), Range(2, 2));
  EXPECT_TRUE(a.channel.Quiet() && b.channel.Quiet());
  EXPECT_EQ(a.channel.Incarnation(1), 201u);
  EXPECT_EQ(a.Count(LinkEvent::kRestarted) + b.Count(LinkEvent::kRestarted), 0);
}

TEST_F(HandshakeTest, AFirstMessageNeedsThreePackets) {
  a.channel.Send(1, Numbered(1));
  a.Flush(&b);
  b.Flush(&a);
  a.Flush(&b);
  EXPECT_EQ(a.all.size(), 2u);
  EXPECT_EQ(b.all.size(), 1u);
  EXPECT_EQ(b.Steps(0), Range(1, 1));
}

TEST_F(HandshakeTest, NothingIsSaidWithoutNeed) {
  Exchange(&clock, &a, &b);
  EXPECT_TRUE(a.all.empty() && b.all.empty());
  a.channel.Send(1, Numbered(1));
  Exchange(&clock, &a, &b);
  const size_t packets = a.all.size() + b.all.size();
  Exchange(&clock, &a, &b);
  EXPECT_EQ(a.all.size() + b.all.size(), packets);
  EXPECT_EQ(a.channel.OnTime(), ReliableChannel::kNever);
}

TEST_F(HandshakeTest, ARestartIsNoticedWhenTheNewOneHasSomethingToSay) {
  b.channel.Send(0, Numbered(1));
  Exchange(&clock, &a, &b);
  next_b.channel.Send(0, Numbered(2));
  Exchange(&clock, &a, &next_b);
  ASSERT_EQ(a.events.size(), 3u);
  EXPECT_EQ(a.events[1].what, LinkEvent::kRestarted);
  EXPECT_EQ(a.Steps(1), Range(1, 2));
  EXPECT_EQ(a.channel.Incarnation(1), 202u);
  EXPECT_EQ(next_b.Count(LinkEvent::kRestarted), 0);
}

TEST_F(HandshakeTest, ARestartIsNoticedWhenTheOtherHasSomethingToSay) {
  a.channel.Send(1, Numbered(1));
  Exchange(&clock, &a, &b);
  a.channel.Send(1, Numbered(2));
  Exchange(&clock, &a, &next_b);
  EXPECT_EQ(a.Count(LinkEvent::kRestarted), 1);
  EXPECT_TRUE(next_b.Steps(0).empty()) << "it was sent to the process before";
  EXPECT_EQ(a.channel.counters().dropped, 1);
  a.channel.Send(1, Numbered(3));
  Exchange(&clock, &a, &next_b);
  EXPECT_EQ(next_b.Steps(0), Range(3, 3));
}

TEST_F(HandshakeTest, ARestartIsNoticedWhenAConnectionStands) {
  a.channel.Send(1, Numbered(1));
  Exchange(&clock, &a, &b);
  next_b.channel.OnConnected(0);
  Exchange(&clock, &a, &next_b);
  EXPECT_EQ(a.Count(LinkEvent::kRestarted), 1);
  EXPECT_EQ(a.channel.Incarnation(1), 202u);
  EXPECT_EQ(next_b.channel.Incarnation(0), 100u);
}

// All packets of a dead incarnation arrive again, on either side.
TEST_F(HandshakeTest, PacketsOfADeadIncarnationDoNotEndALiveLink) {
  b.channel.Send(0, Numbered(1));
  Exchange(&clock, &a, &b);
  next_b.channel.Send(0, Numbered(2));
  Exchange(&clock, &a, &next_b);
  for (int again = 0; again < 3; ++again) {
    for (const Packet& packet : b.all) a.channel.OnPacket(1, packet);
    for (const Packet& packet : a.all) next_b.channel.OnPacket(0, packet);
    Exchange(&clock, &a, &next_b);
  }
  EXPECT_EQ(a.Count(LinkEvent::kRestarted), 1);
  EXPECT_EQ(a.channel.Incarnation(1), 202u);
  EXPECT_EQ(a.Steps(1), Range(1, 2));
  EXPECT_GT(Refused(a, Refusal::kRetired), 0);
  a.channel.Send(1, Numbered(3));
  next_b.channel.Send(0, Numbered(4));
  Exchange(&clock, &a, &next_b);
  EXPECT_EQ(next_b.Steps(0), Range(3, 3));
  EXPECT_EQ(a.Steps(1).back(), 4);
}

// The hello of the first incarnation is delayed until the second one is at work. Process a does not
// know the first one, but it is not newer.
TEST_F(HandshakeTest, ADeadIncarnationThatWasNeverKnownIsNotTakenOn) {
  b.channel.OnConnected(0);
  b.channel.OnTime();
  ASSERT_EQ(b.all.size(), 1u);
  next_b.channel.Send(0, Numbered(1));
  Exchange(&clock, &a, &next_b);
  a.channel.OnPacket(1, b.all[0]);
  Exchange(&clock, &a, &next_b);
  EXPECT_EQ(a.channel.Incarnation(1), 202u);
  EXPECT_EQ(a.Count(LinkEvent::kRestarted), 0);
  next_b.channel.Send(0, Numbered(2));
  Exchange(&clock, &a, &next_b);
  EXPECT_EQ(a.Steps(1), Range(1, 2));
}

// The dead incarnation has even answered a challenge, but one from before the second incarnation.
TEST_F(HandshakeTest, AnAnswerToAnEarlierChallengeIsWorthNothing) {
  a.channel.Send(1, Numbered(1));
  a.Flush(&b);
  b.channel.OnTime();  // the answer is under way, and b dies
  ASSERT_EQ(b.all.size(), 1u);
  next_b.channel.Send(0, Numbered(2));
  Exchange(&clock, &a, &next_b);
  a.channel.OnPacket(1, b.all[0]);
  Exchange(&clock, &a, &next_b);
  EXPECT_EQ(a.channel.Incarnation(1), 202u);
  EXPECT_EQ(a.Count(LinkEvent::kRestarted), 0);
  EXPECT_EQ(next_b.Steps(0), Range(1, 1));
}

TEST_F(HandshakeTest, AnAnswerOfADeadIncarnationIsMendedByTheLivingOne) {
  a.channel.Send(1, Numbered(1));
  a.Flush(&b);
  b.channel.OnTime();
  a.channel.OnPacket(1, b.all[0]);  // a accepts the dead incarnation
  EXPECT_EQ(a.channel.Incarnation(1), 201u);
  Exchange(&clock, &a, &next_b);
  EXPECT_EQ(a.channel.Incarnation(1), 202u);
  EXPECT_EQ(a.Count(LinkEvent::kRestarted), 1);
  EXPECT_EQ(a.channel.counters().dropped, 1);
}

// The process was stopped and replaced, and then runs on.
TEST_F(HandshakeTest, AReplacedProcessThatWakesUpIsNotTakenOnAgain) {
  b.channel.Send(0, Numbered(1));
  Exchange(&clock, &a, &b);
  next_b.channel.Send(0, Numbered(2));
  Exchange(&clock, &a, &next_b);
  b.channel.Send(0, Numbered(3));
  b.channel.OnConnected(0);
  Exchange(&clock, &a, &b);
  EXPECT_EQ(a.Steps(1), Range(1, 2));
  EXPECT_EQ(a.channel.Incarnation(1), 202u);
}

TEST_F(HandshakeTest, BothMayRestartAtOnce) {
  a.channel.Send(1, Numbered(1));
  b.channel.Send(0, Numbered(2));
  Exchange(&clock, &a, &b);
  LinkEnd next_a(0, 102, &clock);
  next_a.channel.Send(1, Numbered(3));
  next_b.channel.Send(0, Numbered(4));
  for (const Packet& packet : a.all) next_b.channel.OnPacket(0, packet);
  for (const Packet& packet : b.all) next_a.channel.OnPacket(1, packet);
  Exchange(&clock, &next_a, &next_b);
  for (const Packet& packet : a.all) next_b.channel.OnPacket(0, packet);
  for (const Packet& packet : b.all) next_a.channel.OnPacket(1, packet);
  Exchange(&clock, &next_a, &next_b);
  EXPECT_EQ(next_b.Steps(0), Range(3, 3));
  EXPECT_EQ(next_a.Steps(1), Range(4, 4));
  EXPECT_EQ(next_a.Count(LinkEvent::kRestarted) + next_b.Count(LinkEvent::kRestarted), 0);
}

TEST_F(HandshakeTest, ManyRestartsAreFollowed) {
  for (uint64_t incarnation = 1; incarnation <= 100; ++incarnation) {
    LinkEnd one(1, incarnation, &clock);
    one.channel.Send(0, Numbered(static_cast<int64_t>(incarnation)));
    a.channel.Send(1, Numbered(1));
    Exchange(&clock, &a, &one);
    ASSERT_EQ(a.channel.Incarnation(1), incarnation);
    ASSERT_TRUE(one.channel.Quiet());
  }
  EXPECT_EQ(a.Steps(1), Range(1, 100));
  EXPECT_EQ(a.Count(LinkEvent::kRestarted), 99);
}

}  // namespace
}  // namespace singa
