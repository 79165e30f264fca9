// Tests packets that the channel must not apply. Each differs in one field from a valid packet.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "singa/base/str_cat.h"
#include "support/comm/link_end.h"

namespace singa {
namespace {

class RefusalTest : public testing::Test {
 protected:
  RefusalTest() {
    a.channel.Send(1, Numbered(0));
    b.channel.Send(0, Numbered(0));
    Exchange(&clock, &a, &b);
    a.events.clear();
    before = a.channel.counters();
  }

  // Changes message 2 of b to a. Expects that a refuses it for this reason and does nothing else.
  void ExpectRefused(Refusal refusal, const std::function<void(PacketHeader*)>& change) {
    PacketHeader header = b.Header(a, 2, 9);
    change(&header);
    a.channel.OnPacket(1, EncodePacket(header, {}));
    EXPECT_TRUE(a.events.empty());
    const ChannelCounters& now = a.channel.counters();
    for (int i = 0; i < kRefusals; ++i) {
      EXPECT_EQ(now.refused[i] - before.refused[i], i == static_cast<int>(refusal))
          << RefusalName(static_cast<Refusal>(i));
    }
    EXPECT_EQ(now.delivered, before.delivered);
    // The unchanged message is applied.
    a.channel.OnPacket(1, EncodePacket(b.Header(a, 2, 9), {}));
    EXPECT_EQ(a.Steps(1), Range(9, 9));
  }

  SimClock clock;
  LinkEnd a{0, 100, &clock}, b{1, 200, &clock};
  ChannelCounters before;
};

TEST_F(RefusalTest, AnotherJob) {
  ExpectRefused(Refusal::kJob, [](PacketHeader* header) { header->set_job("0123456789abcdeX"); });
}
TEST_F(RefusalTest, AnotherRankThanTheAuthenticatedOne) {
  ExpectRefused(Refusal::kRank, [](PacketHeader* header) { header->set_from(2); });
}
TEST_F(RefusalTest, AnotherIncarnationOfTheReceiver) {
  ExpectRefused(Refusal::kReceiver, [](PacketHeader* header) { header->set_to_incarnation(99); });
}
TEST_F(RefusalTest, AnUnknownIncarnation) {
  ExpectRefused(Refusal::kSender, [](PacketHeader* header) { header->set_incarnation(99); });
}
TEST_F(RefusalTest, AnUnknownIncarnationThatGuessesTheLastChallenge) {
  ExpectRefused(Refusal::kSender, [](PacketHeader* header) {
    header->set_incarnation(99);
    header->set_answer(1);
  });
}
TEST_F(RefusalTest, AnAcknowledgementOfWhatWasNeverSent) {
  ExpectRefused(Refusal::kAck, [](PacketHeader* header) { header->set_ack(2); });
}
TEST_F(RefusalTest, AnotherVersion) {
  ExpectRefused(Refusal::kVersion,
                [](PacketHeader* header) { header->set_version(kWireVersion + 1); });
}
TEST_F(RefusalTest, AHeaderThatContradictsItself) {
  ExpectRefused(Refusal::kHeader, [](PacketHeader* header) { header->clear_seq(); });
}

TEST_F(RefusalTest, ARankThatIsNone) {
  for (const int rank : {-1, 0, 4, 1 << 30}) {
    a.channel.OnPacket(rank, EncodePacket(b.Header(a, 2, 9), {}));
    a.channel.OnConnected(rank);
  }
  EXPECT_TRUE(a.events.empty());
  EXPECT_EQ(a.channel.counters().refused[static_cast<int>(Refusal::kRank)], 4);
}

TEST_F(RefusalTest, AMessageBeforeWhichOthersAreMissing) {
  a.channel.OnPacket(1, EncodePacket(b.Header(a, 3, 9), {}));
  a.channel.OnPacket(1, EncodePacket(b.Header(a, UINT64_MAX, 9), {}));
  EXPECT_TRUE(a.events.empty());
  EXPECT_EQ(a.channel.counters().out_of_order, 2);
}

TEST_F(RefusalTest, ARefusedPacketDrawsNoMoreThanOneAnswerEachFewMilliseconds) {
  const size_t packets = a.all.size();
  for (int i = 0; i < 1000; ++i) {
    PacketHeader header = b.Header(a, 2, 9);
    header.set_incarnation(1000 + i);
    a.channel.OnPacket(1, EncodePacket(header, {}));
    a.channel.OnTime();
  }
  EXPECT_LE(a.all.size() - packets, 1u);
}

TEST_F(RefusalTest, WhoIsGivenUpForAnotherVersionIsNamedWithIt) {
  a.channel.Send(2, Numbered(1));
  LinkEnd other(2, 300, &clock);
  PacketHeader header = other.Header(a, 0, 0);
  header.set_version(kWireVersion + 1);
  a.channel.OnPacket(2, EncodePacket(header, {}));
  while (a.events.empty()) clock.now = a.channel.OnTime();
  ASSERT_EQ(a.Count(LinkEvent::kGivenUp), 1);
  EXPECT_EQ(a.events.back().text,
            StrCat("no answer for 60 s; 1 message waits; no valid packet came from it; a packet "
                   "was refused: it "
                   "speaks version ",
                   kWireVersion + 1, " of the protocol, this process ", kWireVersion));
}

}  // namespace
}  // namespace singa
