// Tests the codecs that send less than whole gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "comm/codec/sparse_floats.h"
#include "support/comm/sent_floats.h"

namespace singa {
namespace {

std::unique_ptr<Codec> TopK(float sparsity, bool feeds_back = true) {
  AllReduceProto settings;
  settings.set_sparsity(sparsity);
  settings.set_error_feedback(feeds_back);
  return CodecOf(AllReduceProto::kTopK, settings);
}
std::unique_ptr<Codec> Threshold(float threshold) {
  AllReduceProto settings;
  settings.set_threshold(threshold);
  return CodecOf(AllReduceProto::kThreshold, settings);
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Fp16Codec, SendsHalfTheBytesAndOne) {
  const auto codec = CodecOf(AllReduceProto::kFp16);
  std::vector<float> rest;
  EXPECT_EQ(Encoded(*codec, Gaussian(99, 1), &rest).size(), 199u);
  EXPECT_EQ(codec->states(), 0);
}

TEST(Fp16Codec, KeepsElevenBitsOfLargeAndSmallFloats) {
  const auto codec = CodecOf(AllReduceProto::kFp16);
  for (const float scale : {1e-30f, 1e-6f, 1.f, 1e9f, 3e37f}) {
    std::vector<float> floats = Gaussian(1000, 2);
    for (float& x : floats) x *= scale;
    const std::vector<float> sent = SentFloats(*codec, floats);
    for (size_t i = 0; i < floats.size(); ++i)
      EXPECT_LE(std::abs(sent[i] - floats[i]), std::ldexp(std::abs(floats[i]), -11)) << floats[i];
  }
}

TEST(Fp16Codec, SendsPowersOfTwoAndZerosAsTheyAre) {
  const auto codec = CodecOf(AllReduceProto::kFp16);
  EXPECT_TRUE(SameBits(SentFloats(*codec, {1, -0.f, 0.5f, -2}), {1, -0.f, 0.5f, -2}));
  EXPECT_TRUE(SameBits(SentFloats(*codec, {0, -0.f}), {0, -0.f}));
}

TEST(Fp16Codec, CutsToClip) {
  AllReduceProto settings;
  settings.set_clip(2);
  const auto codec = CodecOf(AllReduceProto::kFp16, settings);
  EXPECT_EQ(SentFloats(*codec, {3, -1e30f, 1.5f}), (std::vector<float>{2, -2, 1.5f}));
}

TEST(Fp16Codec, RefusesBytesOfAPeerThatDoNotFit) {
  const auto codec = CodecOf(AllReduceProto::kFp16);
  std::vector<float> floats(2);
  EXPECT_TRUE(codec->Decode(std::vector<std::byte>(5), floats));
  EXPECT_FALSE(codec->Decode(std::vector<std::byte>(4), floats));
  EXPECT_FALSE(codec->Decode(std::vector<std::byte>(6), floats));
  EXPECT_FALSE(codec->Decode(std::vector<std::byte>(5, std::byte{0x80}), floats));
}

// Returns the sum as receivers get it, and its bytes.
std::pair<std::vector<float>, size_t> SentSum(const Codec& codec, const std::vector<float>& sum) {
  std::vector<std::byte> bytes(codec.MostBytes(std::ssize(sum)));
  bytes.resize(codec.EncodeSum(sum, bytes.data()));
  std::vector<float> received(sum.size(), 7.f);
  EXPECT_TRUE(codec.Decode(bytes, received));
  return {received, bytes.size()};
}

TEST(SparseSums, ArriveWhole) {
  std::vector<float> sum(100);
  for (const int i : {3, 4, 99}) sum[i] = static_cast<float>(i) - 50;
  for (const auto& codec : {TopK(0.01f), TopK(0.01f, false), Threshold(1000)}) {
    EXPECT_TRUE(codec->sends_sums());
    EXPECT_EQ(SentSum(*codec, sum), std::pair(sum, size_t{15}));
    EXPECT_EQ(SentSum(*codec, std::vector<float>(9)), std::pair(std::vector<float>(9), size_t{0}));
    const std::vector<float> dense = Gaussian(50, 3);
    EXPECT_EQ(SentSum(*codec, dense), std::pair(dense, size_t{200})) << "as all floats";
  }
}

TEST(Fp16Codec, RoundsSumsAsItRoundsGradients) {
  const auto codec = CodecOf(AllReduceProto::kFp16);
  EXPECT_TRUE(codec->sends_sums());
  const std::vector<float> sum = Gaussian(50, 4);
  EXPECT_EQ(SentSum(*codec, sum), std::pair(SentFloats(*codec, sum), size_t{101}));
}

TEST(Fp16Codec, CutsNoSums) {
  AllReduceProto settings;
  settings.set_clip(2);
  EXPECT_EQ(SentSum(*CodecOf(AllReduceProto::kFp16, settings), {3, -4}).first,
            (std::vector<float>{3, -4}));
}

TEST(IdentityCodec, SendsNoSums) { EXPECT_FALSE(CodecOf(AllReduceProto::kNone)->sends_sums()); }

TEST(TopKCodec, SendsExactlyTheLargest) {
  for (const size_t n : {1, 2, 7, 1000, 65537})
    for (const float share : {1e-6f, 0.01f, 0.3f}) {
      const std::vector<float> floats = Gaussian(n, 1);
      const std::vector<float> sent = SentFloats(*TopK(share), floats);
      std::vector<float> largest = Magnitudes(floats);
      largest.resize(std::max<size_t>(1, std::ceil(static_cast<float>(n) * share)));
      EXPECT_EQ(Magnitudes(sent), largest) << n << " floats, share " << share;
      for (size_t i = 0; i < n; ++i) EXPECT_TRUE(sent[i] == 0 || sent[i] == floats[i]);
    }
}

TEST(TopKCodec, TakesTheFirstOfEqualFloats) {
  EXPECT_EQ(SentFloats(*TopK(0.25f), {1, -1, 1, 1, -1, 1, 1, 1}),
            (std::vector<float>{1, -1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(SentFloats(*TopK(0.25f), std::vector<float>(8)), std::vector<float>(8));
}

TEST(TopKCodec, OfAllFloatsIsDense) {
  for (const bool feeds_back : {false, true}) {
    std::vector<float> floats = Gaussian(999, 2), rest;
    floats[3] = -0.f;
    EXPECT_TRUE(SameBits(SentFloats(*TopK(1, feeds_back), floats, &rest), floats));
    EXPECT_EQ(std::ranges::count(rest, 0.f), std::ssize(rest));
  }
}

TEST(TopKCodec, AddsToTheNextGradientWhatItHasNotSent) {
  const auto codec = TopK(0.1f);
  std::vector<double> given(500), sent(500);
  std::vector<float> rest;
  for (int step = 0; step < 20; ++step) {
    const std::vector<float> floats = Gaussian(500, step),
                             received = SentFloats(*codec, floats, &rest);
    EXPECT_EQ(500 - std::ranges::count(received, 0.f), 50);
    for (size_t i = 0; i < 500; ++i) {
      given[i] += floats[i];
      sent[i] += received[i];
    }
  }
  for (size_t i = 0; i < 500; ++i) EXPECT_NEAR(sent[i] + rest[i], given[i], 1e-5);
}

TEST(TopKCodec, WithoutFeedbackForgetsWhatItHasNotSent) {
  const auto codec = TopK(0.5f, false);
  EXPECT_EQ(codec->states(), 0);
  EXPECT_EQ(SentFloats(*codec, {1, 2}), (std::vector<float>{0, 2}));
}

// A gap of less than 128 zeros takes one byte, of less than 16,384 two.
TEST(TopKCodec, SendsAFloatAndAGapForEachFloat) {
  std::vector<float> rest;
  const size_t few = Encoded(*TopK(0.01f), Gaussian(10000, 3), &rest).size();
  EXPECT_TRUE(few > 500 && few < 600) << few;
  EXPECT_EQ(Encoded(*TopK(0.6f), Gaussian(10000, 3), &rest).size(), 30000u);
  EXPECT_EQ(Encoded(*TopK(0.85f), Gaussian(10000, 3), &rest).size(), 40000u) << "all floats";
}

TEST(ThresholdCodec, SendsTheFloatsFromTheThresholdOn) {
  const auto codec = Threshold(0.5f);
  std::vector<float> rest;
  EXPECT_EQ(SentFloats(*codec, {0.4f, -0.5f, 0.6f, 0}, &rest),
            (std::vector<float>{0, -0.5f, 0.6f, 0}));
  EXPECT_EQ(rest, (std::vector<float>{0.4f, 0, 0, 0}));
  EXPECT_EQ(SentFloats(*codec, {0.2f, 0, 0, 0.1f}, &rest),
            (std::vector<float>{0.4f + 0.2f, 0, 0, 0}));
  EXPECT_EQ(Encoded(*codec, std::vector<float>(9), &rest).size(), 0u);
}

TEST(ThresholdCodec, OfZeroIsDense) {
  std::vector<float> floats = Gaussian(999, 5), rest;
  floats[3] = -0.f;
  floats[4] = 0;
  for (int step = 0; step < 2; ++step) {
    EXPECT_TRUE(SameBits(SentFloats(*Threshold(0), floats, &rest), floats));
    EXPECT_EQ(std::ranges::count(rest, 0.f), std::ssize(rest));
  }
}

TEST(ThresholdCodec, BelowAllFloatsIsDense) {
  const std::vector<float> floats = Gaussian(77, 4);
  EXPECT_TRUE(SameBits(SentFloats(*Threshold(1e-30f), floats), floats));
}

// Returns the bytes of ones behind so many zeros.
std::vector<std::byte> Entries(const std::vector<std::vector<int>>& gaps) {
  std::vector<std::byte> bytes;
  for (const std::vector<int>& gap : gaps) {
    for (const int byte : gap) bytes.push_back(static_cast<std::byte>(byte));
    const float one = 1;
    const auto value = std::as_bytes(std::span(&one, 1));
    bytes.insert(bytes.end(), value.begin(), value.end());
  }
  return bytes;
}

TEST(SparseFloats, AreGapsAndFloats) {
  std::vector<float> floats(20000), read(20000);
  const std::vector<uint32_t> sent = {0, 1, 129, 258, 16643, 19999};
  for (const uint32_t i : sent) floats[i] = 1;
  std::vector<std::byte> bytes(MostSparseBytes(20000));
  bytes.resize(WriteSparse(floats, sent, bytes.data()));
  EXPECT_EQ(bytes, Entries({{0}, {0}, {127}, {0x80, 1}, {0x80, 0x80, 1}, {0x9B, 26}}));
  EXPECT_TRUE(ReadSparse(bytes, read));
  EXPECT_EQ(read, floats);
}

TEST(SparseFloats, OfAPeerAreRefusedUnlessTheyFit) {
  std::vector<float> floats(9);
  EXPECT_TRUE(ReadSparse(Entries({{0}, {2}, {4}}), floats));
  EXPECT_EQ(floats, (std::vector<float>{1, 0, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_TRUE(ReadSparse({}, floats));
  for (const std::vector<std::vector<int>>& gaps :
       std::vector<std::vector<std::vector<int>>>{{{9}},
                                                  {{0}, {8}},
                                                  {{0x80, 1}},
                                                  {{0xFF, 0xFF, 0xFF, 0x7F}},
                                                  {{0x80, 0x80, 0x80, 0x80, 0}},
                                                  {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}}})
    EXPECT_FALSE(ReadSparse(Entries(gaps), floats)) << gaps[0][0];
  for (const size_t bytes : {1, 3, 4, 6, 9, 37})
    EXPECT_FALSE(ReadSparse(std::vector<std::byte>(bytes), floats)) << bytes;
  EXPECT_FALSE(ReadSparse(std::vector<std::byte>(4, std::byte{0xFF}), floats));
}

}  // namespace
}  // namespace singa
