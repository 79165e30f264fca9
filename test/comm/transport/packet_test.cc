#include "comm/transport/packet.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "singa/base/str_cat.h"
#include "support/comm/text_frame.h"

namespace singa {
namespace {

PacketHeader Header() {
  PacketHeader header;
  header.set_version(kWireVersion);
  header.set_job("0123456789abcdef");
  header.set_epoch(3);
  header.set_from(1);
  header.set_incarnation(77);
  header.set_to_incarnation(88);
  header.set_seq(5);
  header.set_ack(4);
  header.mutable_message()->set_type(WireMessage::kUpdate);
  return header;
}

Packet WithHead(const Packet& packet, const std::string& head) {
  Packet changed = packet;
  changed[0] = FrameOf(head);
  return changed;
}

Refusal RefusalOf(const PacketHeader& header, const std::vector<Frame>& payload = {}) {
  return DecodePacket(EncodePacket(header, payload), {}).refusal;
}

TEST(PacketTest, ComesBackAsItWas) {
  const DecodedPacket got = DecodePacket(EncodePacket(Header(), {FrameOf("ab"), FrameOf("")}), {});
  EXPECT_EQ(got.refusal, Refusal::kNone) << got.text;
  EXPECT_EQ(got.header.SerializeAsString(), Header().SerializeAsString());
  ASSERT_EQ(got.payload.size(), 2u);
  EXPECT_EQ(TextOf(got.payload[0]), "ab");
  EXPECT_EQ(got.payload[1].size(), 0u);
}

TEST(PacketTest, PayloadIsNotCopied) {
  const std::vector<Frame> payload = {FrameOf("abcd")};
  const DecodedPacket got = DecodePacket(EncodePacket(Header(), payload), {});
  ASSERT_EQ(got.payload.size(), 1u);
  EXPECT_EQ(got.payload[0].data(), payload[0].data());
}

// The bytes are checked against the grammar one by one. The checksum was computed separately, bit
// by bit.
TEST(PacketTest, HasTheBytesOfTheGrammar) {
  PacketHeader header;
  header.set_version(1);
  const std::string head = TextOf(EncodePacket(header, {FrameOf("xyz")})[0]);
  EXPECT_EQ(head.substr(0, 4), "SNGW");
  EXPECT_EQ(head.substr(4, 4), std::string("\xe3\x1c\x17\x18", 4));
  EXPECT_EQ(head.substr(8), std::string("\x08\x01"));
}

TEST(PacketTest, EveryFlippedBitIsFound) {
  const Packet packet = EncodePacket(Header(), {FrameOf("payload"), FrameOf("more")});
  for (size_t frame = 0; frame < packet.size(); ++frame) {
    for (size_t bit = 0; bit < 8 * packet[frame].size(); ++bit) {
      std::string bytes = TextOf(packet[frame]);
      bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
      Packet changed = packet;
      changed[frame] = FrameOf(bytes);
      const Refusal refusal = DecodePacket(changed, {}).refusal;
      EXPECT_EQ(refusal, frame == 0 && bit < 32 ? Refusal::kMagic : Refusal::kChecksum)
          << "frame " << frame << ", bit " << bit;
    }
  }
}

TEST(PacketTest, EveryShorterHeadIsRefused) {
  const Packet packet = EncodePacket(Header(), {});
  const std::string head = TextOf(packet[0]);
  for (size_t bytes = 0; bytes < head.size(); ++bytes) {
    EXPECT_EQ(DecodePacket(WithHead(packet, head.substr(0, bytes)), {}).refusal,
              bytes < 8 ? Refusal::kSize : Refusal::kChecksum)
        << bytes;
  }
}

TEST(PacketTest, AMissingFrameIsFound) {
  Packet packet = EncodePacket(Header(), {FrameOf("payload"), FrameOf("more")});
  packet.pop_back();
  EXPECT_EQ(DecodePacket(packet, {}).refusal, Refusal::kChecksum);
  EXPECT_EQ(DecodePacket({}, {}).refusal, Refusal::kSize);
}

TEST(PacketTest, LimitsHoldToTheByte) {
  const Packet packet = EncodePacket(Header(), {FrameOf("payload"), FrameOf("more")});
  PacketLimits limits{.frames = 2, .head_bytes = packet[0].size(), .payload_bytes = 11};
  EXPECT_EQ(DecodePacket(packet, limits).refusal, Refusal::kNone);
  PacketLimits fewer = limits;
  fewer.frames = 1;
  EXPECT_EQ(DecodePacket(packet, fewer).text, "it has 2 payload frames, more than 1");
  fewer = limits;
  --fewer.head_bytes;
  EXPECT_EQ(DecodePacket(packet, fewer).refusal, Refusal::kSize);
  fewer = limits;
  --fewer.payload_bytes;
  EXPECT_EQ(DecodePacket(packet, fewer).text, "its payload has more than 10 bytes");
}

TEST(PacketTest, SizesThatOverflowTheirSumAreRefused) {
  Packet packet = EncodePacket(Header(), {});
  packet.emplace_back(nullptr, nullptr, SIZE_MAX / 2 + 1);
  packet.emplace_back(nullptr, nullptr, SIZE_MAX / 2 + 1);
  EXPECT_EQ(DecodePacket(packet, {}).refusal, Refusal::kSize);
}

TEST(PacketTest, WhatFitsIsReadWithinTheSameLimits) {
  Message message;
  message.payload = {FrameOf("12345678")};
  PacketLimits limits{.frames = 1, .head_bytes = 400, .payload_bytes = 8};
  while (Fits(message, limits)) message.head.add_text("text");
  ASSERT_GT(message.head.text_size(), 10);
  message.head.mutable_text()->RemoveLast();

  PacketHeader header = Header();  // as large as a header can be
  header.set_version(UINT32_MAX);
  header.set_epoch(UINT32_MAX);
  header.set_from(UINT32_MAX);
  header.set_seq(UINT64_MAX);
  header.set_ack(UINT64_MAX);
  header.set_challenge(UINT64_MAX);
  header.set_answer(UINT64_MAX);
  *header.mutable_message() = message.head;
  EXPECT_EQ(DecodePacket(EncodePacket(header, message.payload), limits).refusal, Refusal::kVersion);
  limits.payload_bytes = 7;
  EXPECT_FALSE(Fits(message, limits));
}

TEST(PacketTest, AnotherVersionIsNamedWithOurs) {
  PacketHeader header = Header();
  header.set_version(kWireVersion + 1);
  const DecodedPacket got = DecodePacket(EncodePacket(header, {}), {});
  EXPECT_EQ(got.refusal, Refusal::kVersion);
  EXPECT_EQ(got.text, StrCat("it speaks version ", kWireVersion + 1,
                             " of the protocol, this process ", kWireVersion));
}

TEST(PacketTest, AHeaderThatContradictsItselfIsRefused) {
  PacketHeader header = Header();
  header.set_job("short");
  EXPECT_EQ(RefusalOf(header), Refusal::kHeader);
  header = Header();
  header.set_incarnation(0);
  EXPECT_EQ(RefusalOf(header), Refusal::kHeader);
  header = Header();
  header.set_seq(0);
  EXPECT_EQ(RefusalOf(header), Refusal::kHeader);
  header = Header();
  header.clear_message();
  EXPECT_EQ(RefusalOf(header), Refusal::kHeader);
  header.set_seq(0);
  EXPECT_EQ(RefusalOf(header), Refusal::kNone);
  EXPECT_EQ(RefusalOf(header, {FrameOf("x")}), Refusal::kHeader);
  header = Header();
  header.set_to_incarnation(0);
  EXPECT_EQ(RefusalOf(header), Refusal::kHeader);
}

TEST(PacketTest, BytesThatAreNoHeaderAreRefused) {
  PacketHeader deep = Header();
  std::string groups;  // unknown groups within groups, beyond what is followed
  for (int i = 0; i < 64; ++i) groups += '\x7b';
  for (int i = 0; i < 64; ++i) groups += '\x7c';
  auto* message = deep.mutable_message();
  message->GetReflection()->MutableUnknownFields(message)->ParseFromString(groups);
  EXPECT_EQ(RefusalOf(deep), Refusal::kHeader);
}

}  // namespace
}  // namespace singa
