// Tests the verdicts on single packets. channel_handshake_test.cc tests what two channels make of
// them.
#include "comm/transport/handshake.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

constexpr uint64_t kSelf = 100;  // the incarnation of this process

PacketHeader HeaderFrom(uint64_t incarnation, uint64_t to, uint64_t answer = 0,
                        uint64_t challenge = 0) {
  PacketHeader header;
  header.set_incarnation(incarnation);
  header.set_to_incarnation(to);
  header.set_answer(answer);
  header.set_challenge(challenge);
  return header;
}

class HandshakeVerdictTest : public ::testing::Test {
 protected:
  // Returns the number by which this process challenges others now.
  uint64_t Challenge() const {
    PacketHeader header;
    handshake_.Challenge(&header);
    return header.challenge();
  }
  Handshake::Verdict Judge(const PacketHeader& header) { return handshake_.Judge(header, kSelf); }
  // Has `incarnation` answer the present challenge.
  void Accept(uint64_t incarnation) {
    EXPECT_TRUE(Judge(HeaderFrom(incarnation, kSelf, Challenge())).took_on) << incarnation;
  }

  Handshake handshake_;
};

TEST_F(HandshakeVerdictTest, AnUnknownSenderIsRefusedAndChallenged) {
  const Handshake::Verdict verdict = Judge(HeaderFrom(7, 0, 0, 55));
  EXPECT_EQ(verdict.refusal, Refusal::kSender);
  EXPECT_TRUE(verdict.speak);
  EXPECT_EQ(handshake_.incarnation(), 0u);
  PacketHeader header;
  handshake_.Challenge(&header);
  EXPECT_EQ(header.to_incarnation(), 7u);
  EXPECT_EQ(header.answer(), 55u) << "the sender may need an answer, too";
}

TEST_F(HandshakeVerdictTest, ACandidateIsChallengedOnce) {
  Judge(HeaderFrom(7, 0));
  EXPECT_TRUE(handshake_.has_candidate());
  handshake_.Challenged();
  EXPECT_FALSE(handshake_.has_candidate());
}

TEST_F(HandshakeVerdictTest, TheSenderThatAnswersIsTakenOn) {
  const Handshake::Verdict verdict = Judge(HeaderFrom(7, kSelf, Challenge()));
  EXPECT_EQ(verdict.refusal, Refusal::kNone);
  EXPECT_TRUE(verdict.took_on);
  EXPECT_EQ(handshake_.incarnation(), 7u);
  EXPECT_FALSE(Judge(HeaderFrom(7, kSelf)).took_on) << "once";
}

TEST_F(HandshakeVerdictTest, AnAnswerToAnotherIncarnationOfThisProcessIsRefused) {
  const Handshake::Verdict verdict = Judge(HeaderFrom(7, kSelf + 1, Challenge()));
  EXPECT_EQ(verdict.refusal, Refusal::kReceiver);
  EXPECT_EQ(handshake_.incarnation(), 0u);
}

TEST_F(HandshakeVerdictTest, AChallengeIsAnsweredOnce) {
  const uint64_t first = Challenge();
  Accept(7);
  EXPECT_EQ(Judge(HeaderFrom(8, kSelf, first)).refusal, Refusal::kSender);
  EXPECT_EQ(handshake_.incarnation(), 7u);
}

TEST_F(HandshakeVerdictTest, AReplacedIncarnationIsRetired) {
  Accept(7);
  Accept(8);
  EXPECT_EQ(Judge(HeaderFrom(7, kSelf, Challenge())).refusal, Refusal::kRetired);
  EXPECT_EQ(handshake_.incarnation(), 8u);
}

TEST_F(HandshakeVerdictTest, AnIncarnationThatWasGivenUpIsRetired) {
  Accept(7);
  handshake_.Leave();
  EXPECT_EQ(handshake_.incarnation(), 0u);
  EXPECT_EQ(Judge(HeaderFrom(7, kSelf, Challenge())).refusal, Refusal::kRetired);
}

TEST_F(HandshakeVerdictTest, SixteenRetiredIncarnationsAreKnown) {
  for (uint64_t incarnation = 1; incarnation <= 17; ++incarnation) Accept(incarnation);
  for (uint64_t incarnation = 1; incarnation <= 16; ++incarnation)
    EXPECT_EQ(Judge(HeaderFrom(incarnation, kSelf)).refusal, Refusal::kRetired) << incarnation;
}

TEST_F(HandshakeVerdictTest, AChallengeOfTheAcceptedOneIsOwedAnAnswer) {
  Accept(7);
  EXPECT_FALSE(handshake_.owes_answer());
  EXPECT_TRUE(Judge(HeaderFrom(7, kSelf, 0, 66)).speak);
  EXPECT_TRUE(handshake_.owes_answer());
  PacketHeader header;
  handshake_.Answer(&header);
  EXPECT_EQ(header.to_incarnation(), 7u);
  EXPECT_EQ(header.answer(), 66u);
  handshake_.Answered();
  EXPECT_FALSE(handshake_.owes_answer());
}

// The accepted process believes that an earlier incarnation of this one is there.
TEST_F(HandshakeVerdictTest, AMessageOfTheAcceptedOneToAnEarlierIncarnationIsRefused) {
  Accept(7);
  const Handshake::Verdict verdict = Judge(HeaderFrom(7, kSelf - 1));
  EXPECT_EQ(verdict.refusal, Refusal::kReceiver);
  EXPECT_TRUE(verdict.speak);
}

}  // namespace
}  // namespace singa
