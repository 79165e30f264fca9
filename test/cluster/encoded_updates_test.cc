// Tests gradients that travel by a codec other than the identity.
#include <gtest/gtest.h>

#include <memory>

#include "support/cluster/memory_replica.h"
#include "support/cluster/server_test.h"
#include "support/small_codecs.h"

namespace singa {
namespace {

SINGA_REGISTER_CODEC(NonzeroCodec, NonzeroCodec);

// EncodedUpdates is ServerMessages with a codec whose messages have no fixed size.
class EncodedUpdates : public ServerMessages {
 protected:
  EncodedUpdates() {
    PutAll();
    sent.messages.clear();
  }
  static EncodedFloats Encoded(const std::vector<float>& floats) {
    return Encode(*codec(), 0, std::span(floats), {});
  }
  static const Codec* codec() {
    static const std::unique_ptr<const Codec> made = Codecs().Make("NonzeroCodec");
    return made.get();
  }
  void PutAll() {
    Message message = Text(
        "to { role: kServer } from { role: kClient } type: kPut "
        "part { slice: 0 elements: 3 version: 5 } part { slice: 1 elements: 2 version: 5 }",
        {{1, 2, 3}, {4, 5}});
    coded.OnMessage(0, message);
  }
  // Sends an update of a process of group 0, with any bytes.
  void Update(int rank, const std::string& parts, const Frame& bytes) {
    Message message = Text(
        StrCat("to { role: kServer } from { role: kClient id: ", rank, " } type: kUpdate ", parts),
        {});
    if (bytes.size() > 0) message.payload.push_back(bytes);
    coded.OnMessage(rank, message);
  }
  std::vector<float> ValuesNow(int slice) {
    return {coded.shard().values(slice).begin(), coded.shard().values(slice).end()};
  }

  Server coded{{.job = job,
                .topology = topology,
                .table = table,
                .params = params,
                .clock = clock,
                .self = {0, 0},
                .first_steps = {0, 0},
                .codec = *codec()},
               &sent,
               this};
};

TEST_F(EncodedUpdates, AreDecodedAndAddedUp) {
  const Frame one = Encoded({1, 0, 0}).bytes;
  Update(0, "part { slice: 0 elements: 3 version: 5 bytes: 8 }", one);
  const Frame all = Encoded({1, 1, 1}).bytes;
  Update(1, "part { slice: 0 elements: 3 version: 5 }", all);
  EXPECT_EQ(ValuesNow(0), (std::vector<float>{-1, 1, 2}));
  EXPECT_EQ(coded.refused().total(), 0);
}

TEST_F(EncodedUpdates, MayTakeNoBytesAtAll) {
  for (const int rank : {0, 1})
    Update(rank, "part { slice: 1 elements: 2 version: 5 bytes: 0 }", Frame());
  EXPECT_EQ(ValuesNow(1), (std::vector<float>{4, 5}));
  EXPECT_EQ(coded.shard().version(1), 6);
  EXPECT_EQ(coded.refused().total(), 0);
}

TEST_F(EncodedUpdates, ComeInOneFrameOfSeveralParts) {
  const NonzeroCodec::Entry entries[] = {{1, 2.f}, {0, 3.f}};  // of slice 0, of slice 1
  const Frame frame = Frame::Copy(entries, sizeof entries);
  for (const int rank : {0, 1})
    Update(rank,
           "part { slice: 0 elements: 3 version: 5 bytes: 8 } "
           "part { slice: 1 elements: 2 version: 5 bytes: 8 }",
           frame);
  EXPECT_EQ(ValuesNow(0), (std::vector<float>{1, -2, 3}));
  EXPECT_EQ(ValuesNow(1), (std::vector<float>{-2, 5}));
}

TEST_F(EncodedUpdates, AreRefusedWhereTheirBytesAreNoFloats) {
  const Frame bytes = Encoded({0, 0, 1}).bytes;
  const std::vector<char> zeros(32);
  struct Case {
    std::string part;
    Frame bytes;
  };
  const Case cases[] = {{"slice: 1 elements: 2 bytes: 8", bytes},             // an index of 2
                        {"slice: 0 elements: 3 bytes: 7", bytes.Part(0, 7)},  // half an entry
                        {"slice: 0 elements: 3", bytes},                      // the most is 24
                        {"slice: 0 elements: 3 bytes: 9", bytes},             // more than there are
                        {"slice: 0 elements: 3 bytes: 4294967295", bytes},
                        {"slice: 0 elements: 4294967295 bytes: 8", bytes},
                        {"slice: 0 bytes: 8", bytes},  // no floats
                        {"slice: 0 elements: 3 bytes: 32",
                         Frame::Copy(zeros.data(), zeros.size())}};  // more than the largest size
  int64_t refused = 0;
  for (const Case& one : cases) {
    Update(0, StrCat("part { version: 5 ", one.part, " }"), one.bytes);
    EXPECT_EQ(coded.refused().malformed, ++refused) << one.part;
  }
  EXPECT_EQ(coded.refused().total(), refused);
  EXPECT_EQ(coded.held_bytes(), 0);
}

TEST_F(EncodedUpdates, AreHeldAsFloats) {
  Update(0, "part { slice: 0 elements: 3 version: 5 bytes: 8 }", Encoded({1, 0, 0}).bytes);
  EXPECT_EQ(coded.held_bytes(), 12);
}

// A server of one group, whose processes 0 and 1 apply sums; the server is in process 0.
class AppliedSums : public ::testing::Test, public ServerEvents {
 protected:
  AppliedSums() {
    server.OnMessage(0, MessageOf("type: kPut part { slice: 0 elements: 3 version: 5 count: 4 }",
                                  FrameOf({1, 2, 3})));
    sent.messages.clear();
  }
  void Diverged(const std::string&) override {}

  static Message MessageOf(const std::string& text, const Frame& bytes, int rank = 0) {
    Message message;
    const std::string all =
        StrCat("to { role: kServer } from { role: kClient id: ", rank, " } ", text);
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(all, &message.head)) << all;
    if (bytes.size() > 0) message.payload.push_back(bytes);
    return message;
  }
  void Update(int rank, const Frame& bytes, const std::string& elements = "elements: 3") {
    server.OnMessage(
        rank, MessageOf(StrCat("type: kUpdate part { slice: 0 version: 5 ", elements, " }"), bytes,
                        rank));
  }
  Frame Encoded(const std::vector<float>& floats) const {
    std::vector<float> rest(floats.size());
    return Encode(codec, 0, std::span(floats), rest).bytes;
  }

  const RoundingSumsCodec codec;
  const JobProto job = JobOf(kSumUpdater, "nworkers_per_group: 2", "on_nonfinite: kSkip");
  const Topology topology{job.cluster()};
  const SliceTable table{{{3}}};
  const std::vector<ServedParam> params = {{"a", "l", {}}};
  HeldClock clock;
  SentMessages sent;
  Server server{{.job = job,
                 .topology = topology,
                 .table = table,
                 .params = params,
                 .clock = clock,
                 .self = {0, 0},
                 .first_steps = {0},
                 .codec = codec,
                 .sends_sums = true},
                &sent,
                this};
};

TEST_F(AppliedSums, AreSentAsTheServerAppliesThem) {
  Update(0, Encoded({1, 0.5f, 256}));
  Update(1, Encoded({0.00390625f, 0.5f, 1}));
  ASSERT_EQ(sent.messages.size(), 2u);
  for (const Message& message : sent.messages) {
    EXPECT_EQ(message.head.type(), WireMessage::kApplied);
    std::vector<float> sum(3);
    ASSERT_EQ(message.payload.size(), 1u);
    const auto* const bytes = static_cast<const std::byte*>(message.payload[0].data());
    ASSERT_TRUE(codec.Decode({bytes, message.payload[0].size()}, sum));
    EXPECT_EQ(sum, (std::vector<float>{1, 1, 256})) << "rounded to 8 bits";
    EXPECT_EQ(message.head.part(0).version(), 6);
    EXPECT_EQ(message.head.part(0).step(), 0);
  }
  const std::span<float> values = server.shard().values(0);
  EXPECT_EQ(std::vector(values.begin(), values.end()), (std::vector<float>{0, 1, -253}));
}

TEST_F(AppliedSums, OfADroppedStepHaveNoElements) {
  Update(0, Encoded({1, 1, 1}));
  Update(1, Frame(), "");
  ASSERT_EQ(sent.messages.size(), 2u);
  EXPECT_EQ(sent.messages[1].head.type(), WireMessage::kApplied);
  EXPECT_EQ(sent.messages[1].head.part(0).elements(), 0u);
  EXPECT_EQ(sent.messages[1].head.part(0).version(), 6);
}

// A client in process 1, which applies the sums of servers.
class AppliedByAClient : public AppliedSums {
 protected:
  AppliedByAClient() {
    client.GetAll(5);
    Answer("type: kValues part { slice: 0 elements: 3 version: 5 }", FrameOf({1, 2, 3}));
    client.Push(0, 0, Plain(FrameOf({1, 1, 1})));
  }
  // Delivers an answer of the server. Returns whether it was taken.
  bool Answer(const std::string& text, const Frame& bytes) {
    Message message;
    const std::string all = StrCat("from { role: kServer } to { role: kClient id: 1 } ", text);
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(all, &message.head)) << all;
    if (bytes.size() > 0) message.payload.push_back(bytes);
    const int64_t before = client.refused();
    client.OnMessage(0, message);
    return client.refused() == before;
  }

  std::vector<float> values = {0, 0, 0};
  MemoryReplica applies{job, table, params, {values.data()}};
  Client client{ClientSetup{.topology = topology,
                            .table = table,
                            .params = params,
                            .clock = clock,
                            .process = 1,
                            .codec = codec,
                            .replica = &applies.replica},
                {values.data()},
                &sent};
};

TEST_F(AppliedByAClient, ChangeItsValuesOnce) {
  const std::string part = "type: kApplied part { slice: 0 elements: 3 version: 6 step: 0 }";
  EXPECT_TRUE(Answer(part, Encoded({1, 0, -1})));
  EXPECT_EQ(values, (std::vector<float>{0, 2, 4}));
  EXPECT_TRUE(client.Fresh(0, 1));
  EXPECT_FALSE(Answer(part, Encoded({1, 0, -1})));
  EXPECT_EQ(values, (std::vector<float>{0, 2, 4}));
  EXPECT_EQ(applies.replica.count_of(0), 1);
}

TEST_F(AppliedByAClient, ChangeNothingInADroppedStep) {
  EXPECT_TRUE(Answer("type: kApplied part { slice: 0 version: 6 step: 0 }", Frame()));
  EXPECT_EQ(values, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(client.version(0), 6);
  EXPECT_TRUE(client.Fresh(0, 1));
  EXPECT_EQ(applies.replica.count_of(0), 0);
}

TEST_F(AppliedByAClient, AreRefusedWhereTheyDoNotFit) {
  const Frame sum = Encoded({1, 0, -1});
  for (const char* part : {"slice: 0 elements: 3 version: 6 step: 1",  // not pushed
                           "slice: 0 elements: 2 version: 6 step: 0",  // another size
                           "slice: 0 elements: 3 version: 4 step: 0",  // values it had before
                           "slice: 1 elements: 3 version: 6 step: 0"})
    EXPECT_FALSE(Answer(StrCat("type: kApplied part { ", part, " }"), sum)) << part;
  EXPECT_FALSE(
      Answer("type: kApplied part { slice: 0 elements: 3 version: 6 step: 0 }", sum.Part(0, 5)));
  EXPECT_EQ(values, (std::vector<float>{1, 2, 3}));
  EXPECT_FALSE(client.Fresh(0, 1));
}

}  // namespace
}  // namespace singa
