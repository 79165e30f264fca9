// Tests gradients that travel by a codec other than the identity.
#include <gtest/gtest.h>

#include <memory>

#include "cluster/client/gradient_encoder.h"
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
    return Encode(*codec(), std::span(floats), {});
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

TEST(GradientEncoderTest, SendsOneCopyOfTheSumsWithoutACodec) {
  const SliceTable table{std::vector<Shape>{{2}}};
  GradientEncoder encoder(Identity(), table, std::vector<int64_t>(table.size(), 2));
  std::vector<float> a = {1, 2}, b = {3, 4};
  float* const sums[] = {a.data(), b.data()};
  const EncodedFloats sent = encoder.Encode(0, sums);
  a[0] = 9;
  EXPECT_EQ(sent.count, 4);
  EXPECT_EQ(std::vector(FloatsOf(sent.bytes).begin(), FloatsOf(sent.bytes).end()),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_TRUE(encoder.state(0).empty());
}

TEST(GradientEncoderTest, KeepsTheStateOfEachSliceAndNode) {
  const SliceTable table{std::vector<Shape>{{1}, {1}}};
  const RoundingCodec codec;
  GradientEncoder encoder(codec, table, std::vector<int64_t>(table.size(), 2));
  float first = 1.001f, second = -1.001f;
  float* const sums[] = {&first, &second};
  encoder.Encode(1, sums);
  EXPECT_EQ(std::vector(encoder.state(0).begin(), encoder.state(0).end()),
            (std::vector<float>{0, 0}));
  EXPECT_EQ(encoder.state(1)[0], first - 1);
  EXPECT_EQ(encoder.state(1)[1], second + 1);
  EXPECT_EQ(GradientEncoder::StateBytes(codec, table.elements(), 2), 16);
}

}  // namespace
}  // namespace singa
