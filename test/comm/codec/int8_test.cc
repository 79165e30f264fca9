// Tests the codec that sends each float as 8 bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/comm/sent_floats.h"

namespace singa {
namespace {

std::unique_ptr<Codec> Int8(bool feeds_back = true) {
  AllReduceProto settings;
  settings.set_error_feedback(feeds_back);
  auto codec = Codecs().Make("kInt8");
  codec->Setup(settings, 0);
  return codec;
}

TEST(Int8Codec, SendsAByteForEachFloatAndAScaleForEachBlock) {
  EXPECT_EQ(Int8()->MostBytes(0), 0);
  EXPECT_EQ(Int8()->MostBytes(1), 5);
  EXPECT_EQ(Int8()->MostBytes(256), 260);
  EXPECT_EQ(Int8()->MostBytes(257), 265);
  std::vector<float> rest;
  EXPECT_EQ(Encoded(*Int8(), Gaussian(1000, 1), &rest).size(), 1016u);
}

TEST(Int8Codec, RoundsToTheNearestOf255Levels) {
  EXPECT_EQ(SentFloats(*Int8(), {127, -127, 3.4f, -3.6f, 0.5f, 1.5f, 0}),
            (std::vector<float>{127, -127, 3, -4, 0, 2, 0}));
}

TEST(Int8Codec, IsWithinHalfALevelForLargeAndSmallFloats) {
  for (const float factor : {1e-36f, 1e-6f, 1.f, 3e37f}) {
    std::vector<float> floats = Gaussian(256, 2);
    for (float& x : floats) x *= factor;
    const float level = Magnitudes(floats)[0] / 127;
    const std::vector<float> sent = SentFloats(*Int8(), floats);
    for (size_t i = 0; i < floats.size(); ++i)
      EXPECT_LE(std::abs(sent[i] - floats[i]), 0.5001f * level) << floats[i];
  }
}

TEST(Int8Codec, GivesEachBlockAScaleOfItsOwn) {
  std::vector<float> floats(257, 1e6f);
  floats[256] = 1e-6f;
  EXPECT_FLOAT_EQ(SentFloats(*Int8(), floats)[256], 1e-6f);
  floats[255] = 1e-6f;
  EXPECT_EQ(SentFloats(*Int8(), floats)[255], 0);
}

TEST(Int8Codec, SendsWhatRoundingLeftOutLater) {
  std::vector<float> rest, sum(3);
  for (int step = 0; step < 1000; ++step) {
    const std::vector<float> sent = SentFloats(*Int8(), {127, 0.3f, -0.001f}, &rest);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += sent[i];
  }
  EXPECT_NEAR(sum[1] + rest[1], 300, 0.01);
  EXPECT_NEAR(sum[2] + rest[2], -1, 0.001);
  for (const float left : rest) EXPECT_LE(std::abs(left), 0.51f);
}

TEST(Int8Codec, KeepsNoRestWithoutErrorFeedback) {
  EXPECT_EQ(Int8()->states(), 1);
  EXPECT_EQ(Int8(false)->states(), 0);
  EXPECT_EQ(SentFloats(*Int8(false), {127, 0.3f}), (std::vector<float>{127, 0}));
}

TEST(Int8Codec, SendsZerosAndTheSmallestFloats) {
  EXPECT_EQ(SentFloats(*Int8(), {0, -0.f}), (std::vector<float>{0, 0}));
  std::vector<float> rest;
  const float least = std::numeric_limits<float>::denorm_min();
  for (const float x : SentFloats(*Int8(), {least, -90 * least}, &rest))
    EXPECT_TRUE(std::isfinite(x)) << x;
  for (const float left : rest) EXPECT_TRUE(std::isfinite(left)) << left;
}

TEST(Int8Codec, MakesBlocksOfFloatsThatAreNotFiniteNotFinite) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float bad : {kInf, -kInf, std::nanf("")}) {
    std::vector<float> floats(300, 1.f);
    floats[7] = bad;
    const std::vector<float> sent = SentFloats(*Int8(), floats);
    EXPECT_FALSE(std::isfinite(sent[7]));
    EXPECT_FLOAT_EQ(sent[299], 1);
  }
}

TEST(Int8Codec, RefusesBytesOfAPeerThatDoNotFit) {
  std::vector<float> floats(2);
  EXPECT_TRUE(Int8()->Decode(std::vector<std::byte>(6), floats));
  EXPECT_FALSE(Int8()->Decode(std::vector<std::byte>(5), floats));
  EXPECT_FALSE(Int8()->Decode(std::vector<std::byte>(7), floats));
}

}  // namespace
}  // namespace singa
