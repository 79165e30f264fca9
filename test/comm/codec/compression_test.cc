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
#include "singa/comm/codec.h"
#include "singa/proto/cluster.pb.h"

namespace singa {
namespace {

std::unique_ptr<Codec> CodecOf(AllReduceProto::Compression compression,
                               const AllReduceProto& settings = {}) {
  auto codec = Codecs().Make(AllReduceProto::Compression_Name(compression));
  codec->Setup(settings);
  return codec;
}
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

std::vector<float> Gaussian(size_t n, int seed) {
  std::mt19937 numbers(seed);
  std::normal_distribution<float> normal;
  std::vector<float> floats(n);
  for (float& x : floats) x = normal(numbers);
  return floats;
}

std::vector<std::byte> Encoded(const Codec& codec, const std::vector<float>& floats,
                               std::vector<float>* rest) {
  const auto n = static_cast<int64_t>(floats.size());
  rest->resize(codec.states() * n);
  std::vector<std::byte> bytes(codec.MostBytes(n));
  bytes.resize(codec.Encode(floats, *rest, bytes.data()));
  return bytes;
}

// Returns what the receiver gets of `floats`.
std::vector<float> Sent(const Codec& codec, const std::vector<float>& floats,
                        std::vector<float>* rest) {
  std::vector<float> received(floats.size(), 7.f);
  EXPECT_TRUE(codec.Decode(Encoded(codec, floats, rest), received));
  return received;
}
std::vector<float> Sent(const Codec& codec, const std::vector<float>& floats) {
  std::vector<float> rest;
  return Sent(codec, floats, &rest);
}

// Returns the magnitudes of the floats that are not 0, the largest first.
std::vector<float> Magnitudes(std::vector<float> floats) {
  std::erase(floats, 0.f);
  for (float& x : floats) x = std::abs(x);
  std::ranges::sort(floats, std::greater<>());
  return floats;
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
    const std::vector<float> sent = Sent(*codec, floats);
    for (size_t i = 0; i < floats.size(); ++i)
      EXPECT_LE(std::abs(sent[i] - floats[i]), std::ldexp(std::abs(floats[i]), -11)) << floats[i];
  }
}

TEST(Fp16Codec, SendsPowersOfTwoAndZerosAsTheyAre) {
  const auto codec = CodecOf(AllReduceProto::kFp16);
  EXPECT_TRUE(SameBits(Sent(*codec, {1, -0.f, 0.5f, -2}), {1, -0.f, 0.5f, -2}));
  EXPECT_TRUE(SameBits(Sent(*codec, {0, -0.f}), {0, -0.f}));
}

TEST(Fp16Codec, CutsToClip) {
  AllReduceProto settings;
  settings.set_clip(2);
  const auto codec = CodecOf(AllReduceProto::kFp16, settings);
  EXPECT_EQ(Sent(*codec, {3, -1e30f, 1.5f}), (std::vector<float>{2, -2, 1.5f}));
}

TEST(Fp16Codec, RefusesBytesOfAPeerThatDoNotFit) {
  const auto codec = CodecOf(AllReduceProto::kFp16);
  std::vector<float> floats(2);
  EXPECT_TRUE(codec->Decode(std::vector<std::byte>(5), floats));
  EXPECT_FALSE(codec->Decode(std::vector<std::byte>(4), floats));
  EXPECT_FALSE(codec->Decode(std::vector<std::byte>(6), floats));
  EXPECT_FALSE(codec->Decode(std::vector<std::byte>(5, std::byte{0x80}), floats));
}

TEST(TopKCodec, SendsExactlyTheLargest) {
  for (const size_t n : {1, 2, 7, 1000, 65537})
    for (const float share : {1e-6f, 0.01f, 0.3f}) {
      const std::vector<float> floats = Gaussian(n, 1);
      const std::vector<float> sent = Sent(*TopK(share), floats);
      std::vector<float> largest = Magnitudes(floats);
      largest.resize(std::max<size_t>(1, std::ceil(static_cast<float>(n) * share)));
      EXPECT_EQ(Magnitudes(sent), largest) << n << " floats, share " << share;
      for (size_t i = 0; i < n; ++i) EXPECT_TRUE(sent[i] == 0 || sent[i] == floats[i]);
    }
}

TEST(TopKCodec, TakesTheFirstOfEqualFloats) {
  EXPECT_EQ(Sent(*TopK(0.25f), {1, -1, 1, 1, -1, 1, 1, 1}),
            (std::vector<float>{1, -1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Sent(*TopK(0.25f), std::vector<float>(8)), std::vector<float>(8));
}

TEST(TopKCodec, OfAllFloatsIsDense) {
  for (const bool feeds_back : {false, true}) {
    std::vector<float> floats = Gaussian(999, 2), rest;
    floats[3] = -0.f;
    EXPECT_TRUE(SameBits(Sent(*TopK(1, feeds_back), floats, &rest), floats));
    EXPECT_EQ(std::ranges::count(rest, 0.f), std::ssize(rest));
  }
}

TEST(TopKCodec, AddsToTheNextGradientWhatItHasNotSent) {
  const auto codec = TopK(0.1f);
  std::vector<double> given(500), sent(500);
  std::vector<float> rest;
  for (int step = 0; step < 20; ++step) {
    const std::vector<float> floats = Gaussian(500, step), received = Sent(*codec, floats, &rest);
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
  EXPECT_EQ(Sent(*codec, {1, 2}), (std::vector<float>{0, 2}));
}

TEST(TopKCodec, SendsEightBytesForEachFloat) {
  std::vector<float> rest;
  EXPECT_EQ(Encoded(*TopK(0.01f), Gaussian(10000, 3), &rest).size(), 800u);
  EXPECT_EQ(Encoded(*TopK(0.6f), Gaussian(10000, 3), &rest).size(), 40000u) << "all floats";
}

TEST(ThresholdCodec, SendsTheFloatsFromTheThresholdOn) {
  const auto codec = Threshold(0.5f);
  std::vector<float> rest;
  EXPECT_EQ(Sent(*codec, {0.4f, -0.5f, 0.6f, 0}, &rest), (std::vector<float>{0, -0.5f, 0.6f, 0}));
  EXPECT_EQ(rest, (std::vector<float>{0.4f, 0, 0, 0}));
  EXPECT_EQ(Sent(*codec, {0.2f, 0, 0, 0.1f}, &rest), (std::vector<float>{0.4f + 0.2f, 0, 0, 0}));
  EXPECT_EQ(Encoded(*codec, std::vector<float>(9), &rest).size(), 0u);
}

TEST(ThresholdCodec, BelowAllFloatsIsDense) {
  const std::vector<float> floats = Gaussian(77, 4);
  EXPECT_TRUE(SameBits(Sent(*Threshold(1e-30f), floats), floats));
}

TEST(SparseFloats, OfAPeerAreRefusedUnlessTheyFit) {
  const auto entries = [](const std::vector<uint32_t>& indices) {
    std::vector<std::byte> bytes(indices.size() * 8);
    std::ranges::copy(std::as_bytes(std::span(indices)), bytes.begin());
    return bytes;
  };
  std::vector<float> floats(9);
  EXPECT_TRUE(ReadSparse(entries({0, 3, 8}), floats));
  EXPECT_TRUE(ReadSparse(entries({}), floats));
  for (const std::vector<uint32_t>& indices :
       std::vector<std::vector<uint32_t>>{{9}, {3, 3}, {3, 2}, {0xFFFFFFFF}, {0, 1, 2, 3, 4}})
    EXPECT_FALSE(ReadSparse(entries(indices), floats)) << indices[0];
  EXPECT_FALSE(ReadSparse(std::vector<std::byte>(7), floats));
  EXPECT_FALSE(ReadSparse(std::vector<std::byte>(37), floats));
}

}  // namespace
}  // namespace singa
