// Tests addresses of roles, and the form of messages, which may contain anything.
#include "cluster/protocol/addresses.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <optional>

#include "comm/codec/identity.h"
#include "support/cluster/cluster_of_roles.h"
#include "support/small_codecs.h"

namespace singa {
namespace {

Address AddressFrom(const std::string& text) {
  Address address;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &address)) << text;
  return address;
}

// Processes 0 and 1 have worker group 0, processes 2 and 3 have group 1. Process p has server p % 2
// of server group p / 2.
Topology TwoGroupsOfTwo() {
  return Topology(JobOf(kSumUpdater,
                        "nworker_groups: 2 nserver_groups: 2 nworkers_per_group: 2 "
                        "nservers_per_group: 2")
                      .cluster());
}

TEST(AddressesTest, AClientIsOfAProcessThatHasTheGroup) {
  const Topology topology = TwoGroupsOfTwo();
  EXPECT_TRUE(IsClient(topology, ClientAddress(1, 2), 2));
  EXPECT_FALSE(IsClient(topology, ClientAddress(1, 2), 3)) << "another process";
  EXPECT_FALSE(IsClient(topology, ClientAddress(0, 2), 2)) << "a group of other processes";
  EXPECT_FALSE(IsClient(topology, ClientAddress(2, 2), 2)) << "no such group";
  EXPECT_FALSE(IsClient(topology, ServerAddress({1, 0}), 2)) << "no client";
}

TEST(AddressesTest, AServerIsWhereTheTopologyPutsIt) {
  const Topology topology = TwoGroupsOfTwo();
  EXPECT_TRUE(IsServer(topology, ServerAddress({1, 1}), 3));
  EXPECT_FALSE(IsServer(topology, ServerAddress({1, 1}), 2)) << "another process";
  EXPECT_FALSE(IsServer(topology, ServerAddress({2, 0}), 3)) << "no such group";
  EXPECT_FALSE(IsServer(topology, ServerAddress({0, 2}), 3)) << "no such server";
  EXPECT_FALSE(IsServer(topology, ClientAddress(1, 3), 3)) << "no server";
}

TEST(AddressesTest, NumbersThatNoIntHoldsAreOfNoRole) {
  const Topology topology = TwoGroupsOfTwo();
  for (const char* role : {"kClient", "kServer"}) {
    const Address address =
        AddressFrom(StrCat("role: ", role, " group: 4294967295 id: 4294967295"));
    EXPECT_FALSE(IsClient(topology, address, 0));
    EXPECT_FALSE(IsServer(topology, address, 0));
  }
}

TEST(AddressesTest, AnAddressLeadsToTheProcessOfItsRole) {
  const Topology topology = TwoGroupsOfTwo();
  EXPECT_EQ(ProcessOf(topology, ServerAddress({1, 1})), 3);
  EXPECT_EQ(ProcessOf(topology, ClientAddress(1, 2)), 2);
}

TEST(AddressesTest, OnlyUpdatesHaveTheCodecOfTheJob) {
  const RoundingCodec codec;
  Message message;
  message.head.set_type(WireMessage::kUpdate);
  EXPECT_EQ(&CodecOf(message, codec), &codec);
  message.head.set_type(WireMessage::kValues);
  EXPECT_EQ(&CodecOf(message, codec), &Identity());
}

// Reads the parts of a message whose frames have so many floats each. The receiver owns slices 2 to
// 4.
struct PartsRead {
  PartsRead(const std::string& head, const std::vector<std::vector<float>>& frames,
            const Codec& codec = Identity()) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(head, &message.head)) << head;
    for (const std::vector<float>& floats : frames) message.payload.push_back(FrameOf(floats));
    read = ReadParts(message, SliceSet({2, 3, 4}), codec, &parts);
  }
  std::vector<float> Floats(size_t part) const {
    const std::span<const float> floats = FloatsOf(parts[part].bytes);
    return {floats.begin(), floats.end()};
  }

  Message message;
  std::vector<EncodedPart> parts;
  bool read = false;
};

TEST(ReadPartsTest, PartsOfOneFrameFollowEachOther) {
  const PartsRead two("part { slice: 4 elements: 1 } part { slice: 2 elements: 2 }", {{7, 8, 9}});
  ASSERT_TRUE(two.read);
  ASSERT_EQ(two.parts.size(), 2u);
  EXPECT_EQ(two.parts[0].slice, 4);
  EXPECT_EQ(two.Floats(0), std::vector<float>{7});
  EXPECT_EQ(two.parts[1].slice, 2);
  EXPECT_EQ(two.Floats(1), (std::vector<float>{8, 9}));
}

TEST(ReadPartsTest, APartMayHaveAFrameOfItsOwnOrNoFloats) {
  const PartsRead three(
      "part { slice: 2 elements: 1 } part { slice: 3 } part { slice: 4 elements: 2 }",
      {{7}, {8, 9}});
  ASSERT_TRUE(three.read);
  ASSERT_EQ(three.parts.size(), 3u);
  EXPECT_EQ(three.parts[1].bytes.size(), 0u);
  EXPECT_EQ(three.Floats(2), (std::vector<float>{8, 9}));
}

TEST(ReadPartsTest, AMessageWithoutPartsHasNoPayload) {
  EXPECT_TRUE(PartsRead("", {}).read);
  EXPECT_FALSE(PartsRead("", {{1}}).read);
}

TEST(ReadPartsTest, APartSaysItsBytesIfTheyAreFewerThanTheMost) {
  const PartsRead one("part { slice: 2 elements: 9 bytes: 4 }", {{7}}, NonzeroCodec());
  ASSERT_TRUE(one.read);
  EXPECT_EQ(one.parts[0].bytes.size(), 4u);
}

TEST(ReadPartsTest, RefusesSlicesOfOthers) {
  EXPECT_FALSE(PartsRead("part { slice: 1 elements: 1 }", {{1}}).read);
  EXPECT_FALSE(PartsRead("part { slice: 5 elements: 1 }", {{1}}).read);
  EXPECT_FALSE(PartsRead("part { slice: 4294967295 elements: 1 }", {{1}}).read);
}

TEST(ReadPartsTest, RefusesASliceThatComesTwice) {
  EXPECT_FALSE(
      PartsRead("part { slice: 2 elements: 1 } part { slice: 2 elements: 1 }", {{1, 2}}).read);
}

TEST(ReadPartsTest, RefusesAnotherNumberOfBytesThanThePartsHave) {
  EXPECT_FALSE(PartsRead("part { slice: 2 elements: 2 }", {{1}}).read) << "too few";
  EXPECT_FALSE(PartsRead("part { slice: 2 elements: 2 }", {{1, 2, 3}}).read) << "too many";
  EXPECT_FALSE(PartsRead("part { slice: 2 elements: 2 }", {}).read) << "no frame";
  EXPECT_FALSE(PartsRead("part { slice: 2 elements: 2 }", {{1, 2}, {3}}).read) << "one more frame";
  EXPECT_FALSE(PartsRead("part { slice: 2 elements: 2 }", {{1}, {2}}).read) << "in two frames";
}

TEST(ReadPartsTest, RefusesMorePartsThanTheReceiverHasSlices) {
  EXPECT_FALSE(
      PartsRead("part { slice: 2 } part { slice: 3 } part { slice: 4 } part { slice: 2 }", {})
          .read);
}

TEST(ReadPartsTest, APartThatDoesNotDecodeHasNoFloats) {
  const PartsRead one("part { slice: 2 elements: 9 bytes: 4 }", {{7}}, NonzeroCodec());
  EXPECT_FALSE(Decode(NonzeroCodec(), one.parts.at(0))) << "half of an entry";
  const PartsRead none("part { slice: 2 elements: 9 bytes: 0 }", {}, NonzeroCodec());
  const std::optional<PartView> zeros = Decode(NonzeroCodec(), none.parts.at(0));
  ASSERT_TRUE(zeros.has_value());
  EXPECT_EQ(FloatsOf(zeros->floats).size(), 9u);
}

}  // namespace
}  // namespace singa
