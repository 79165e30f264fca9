// Tests frames of floats, which codecs encode.
#include "comm/codec/float_frame.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "comm/codec/identity.h"
#include "support/small_codecs.h"

namespace singa {
namespace {

std::vector<float> Values(const std::optional<Frame>& frame) {
  EXPECT_TRUE(frame.has_value());
  if (!frame) return {};
  return {FloatsOf(*frame).begin(), FloatsOf(*frame).end()};
}

Frame BytesAt(std::vector<char>* room, size_t offset, const std::vector<float>& floats) {
  room->resize(offset + floats.size() * sizeof(float));
  std::memcpy(room->data() + offset, floats.data(), floats.size() * sizeof(float));
  return Frame(nullptr, room->data() + offset, floats.size() * sizeof(float));
}

TEST(FloatFrameTest, SendsTheMemoryOfTheFloats) {
  const Frame floats = CopyFloats(std::vector<float>{1, -2, NAN});
  const EncodedFloats sent = Encode(Identity(), 0, floats, {});
  EXPECT_EQ(sent.bytes.data(), floats.data());
  EXPECT_EQ(sent.bytes.size(), floats.size());
  EXPECT_EQ(sent.count, 3);
  EXPECT_FALSE(sent.shorter);
}

TEST(FloatFrameTest, ReadsTheFloatsWhereTheyLie) {
  const Frame bytes = CopyFloats(std::vector<float>{1, 2});
  const std::optional<Frame> floats = Decode(Identity(), bytes, 2);
  ASSERT_TRUE(floats.has_value());
  EXPECT_EQ(floats->data(), bytes.data());
}

TEST(FloatFrameTest, CopiesFloatsThatAreNotAligned) {
  std::vector<char> room;
  const Frame bytes = BytesAt(&room, 1, {1, 2});
  const std::optional<Frame> floats = Decode(Identity(), bytes, 2);
  EXPECT_EQ(Values(floats), (std::vector<float>{1, 2}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(floats->data()) % alignof(float), 0u);
}

TEST(FloatFrameTest, RefusesAnyOtherNumberOfBytes) {
  const Frame bytes = CopyFloats(std::vector<float>{1, 2, 3});
  for (const int64_t n : {0, 1, 2, 4}) EXPECT_FALSE(Decode(Identity(), bytes, n)) << n;
  EXPECT_FALSE(Decode(Identity(), bytes.Part(0, 11), 3));
  std::vector<float> floats(2);
  EXPECT_FALSE(Identity().Decode(std::as_bytes(FloatsOf(bytes)), floats));
}

TEST(FloatFrameTest, NoFloatsAreNoBytes) {
  EXPECT_EQ(Values(Decode(Identity(), Frame(), 0)), std::vector<float>());
  EXPECT_FALSE(Decode(RoundingCodec(), Frame::Copy("ab", 2), 0));
}

TEST(FloatFrameTest, KeepsInItsStateWhatItDoesNotSend) {
  const RoundingCodec codec;
  const std::vector<float> floats = {1.001f, -3.0001f};
  std::vector<float> rest(2);
  const EncodedFloats sent = Encode(codec, 0, std::span(floats), rest);
  EXPECT_EQ(sent.bytes.size(), 4u);
  const std::vector<float> read = Values(Decode(codec, sent.bytes, 2));
  EXPECT_EQ(read, (std::vector<float>{1, -3}));
  for (const int i : {0, 1}) EXPECT_EQ(read[i] + rest[i], floats[i]);
}

TEST(FloatFrameTest, SaysThatItsBytesAreFewerThanTheMost) {
  const NonzeroCodec codec;
  const std::vector<float> floats = {0, 5, 0, 0};
  const EncodedFloats sent = Encode(codec, 0, std::span(floats), {});
  EXPECT_TRUE(sent.shorter);
  EXPECT_EQ(sent.bytes.size(), 8u);
  EXPECT_EQ(Values(Decode(codec, sent.bytes, 4)), floats);
}

TEST(FloatFrameTest, RefusesBytesThatAreNoFloats) {
  const NonzeroCodec codec;
  const std::vector<float> floats = {0, 0, 0, 7};
  const Frame bytes = Encode(codec, 0, std::span(floats), {}).bytes;
  EXPECT_FALSE(Decode(codec, bytes, 3));             // the index is beyond the end
  EXPECT_FALSE(Decode(codec, bytes.Part(0, 7), 4));  // half an entry
  EXPECT_FALSE(Decode(codec, Frame::Copy("", 0), 4) == std::nullopt);  // all are 0
  const std::vector<char> many(1000);
  EXPECT_FALSE(Decode(codec, Frame::Copy(many.data(), many.size()), 4));  // too many bytes
}

}  // namespace
}  // namespace singa
