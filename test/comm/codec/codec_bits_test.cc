// Tests that vector code gives the bits of plain loops, and the same ones on all CPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/file/crc32c.h"
#include "comm/codec/low_rank.h"
#include "math/elementwise/half.h"
#include "singa/base/philox.h"
#include "support/comm/sent_floats.h"

namespace singa::codec_bits_test {
namespace {

// Returns numbers of (-1, 1), whose bits depend on no library.
std::vector<float> Uniform(int64_t n, uint32_t step) {
  const Philox random{.seed = 1, .purpose = 3, .step = step};
  std::vector<float> floats(n);
  for (int64_t i = 0; i < n; ++i) floats[i] = 2 * random.Uniform(i) - 1;
  return floats;
}

template <typename T>
void ExpectSameBits(const std::vector<T>& a, const std::vector<T>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)), 0);
}

template <typename T>
uint32_t ChecksumOf(const std::vector<T>& numbers) {
  return Crc32c(numbers.data(), numbers.size() * sizeof(T));
}

std::vector<std::byte> PlainFp16(const std::vector<float>& floats, float clip) {
  float largest = 0;
  for (const float x : floats) largest = std::max(largest, std::min(std::abs(x), clip));
  int8_t exponent = 0;
  if (largest > 0) exponent = static_cast<int8_t>(std::clamp(14 - std::ilogb(largest), -120, 120));
  std::vector<std::byte> bytes = {static_cast<std::byte>(exponent)};
  for (const float x : floats) {
    const uint16_t half = Float16::From(std::clamp(x, -clip, clip) * std::ldexp(1.f, exponent));
    bytes.push_back(static_cast<std::byte>(half));
    bytes.push_back(static_cast<std::byte>(half >> 8));
  }
  return bytes;
}

TEST(Fp16Bits, AreThoseOfThePlainLoop) {
  AllReduceProto settings;
  settings.set_clip(0.75f);
  std::vector<float> rest;
  for (const int n : {1, 2, 7, 8, 9, 31, 33, 1025})
    for (const float scale : {1.f, 1e-42f, 1e-30f, 3e38f}) {
      std::vector<float> floats = Uniform(n, n);
      for (float& x : floats) x *= scale;
      ExpectSameBits(Encoded(*CodecOf(AllReduceProto::kFp16), floats, &rest),
                     PlainFp16(floats, std::numeric_limits<float>::max()));
      ExpectSameBits(Encoded(*CodecOf(AllReduceProto::kFp16, settings), floats, &rest),
                     PlainFp16(floats, 0.75f));
    }
}

TEST(Fp16Bits, OfInfinitiesAndNanAreThoseOfThePlainLoop) {
  std::vector<float> floats = Uniform(100, 1), rest;
  const auto codec = CodecOf(AllReduceProto::kFp16);
  constexpr float kMost = std::numeric_limits<float>::max();
  floats[13] = floats[98] = -std::numeric_limits<float>::quiet_NaN();
  ExpectSameBits(Encoded(*codec, floats, &rest), PlainFp16(floats, kMost));
  floats[14] = floats[99] = -std::numeric_limits<float>::infinity();
  ExpectSameBits(Encoded(*codec, floats, &rest), PlainFp16(floats, kMost));
}

// The state of a slice, and what a receiver gets, by the formulas of sparse_codec.h.
struct PlainSparse {
  std::vector<float> rest, u;

  std::vector<float> Send(const std::vector<float>& floats, float momentum, float threshold) {
    std::vector<float> sent(floats.size());
    for (size_t i = 0; i < floats.size(); ++i) {
      u[i] = momentum * u[i] + floats[i];
      rest[i] += u[i];
      if (std::abs(rest[i]) >= threshold) std::swap(rest[i], sent[i]);
    }
    return sent;
  }
};

TEST(SparseBits, AreThoseOfThePlainLoop) {
  AllReduceProto settings;
  settings.set_threshold(1.5f);
  for (const float momentum : {0.f, 0.7f}) {
    const auto codec = CodecOf(AllReduceProto::kThreshold, settings, momentum);
    PlainSparse plain{std::vector<float>(1037), std::vector<float>(1037)};
    std::vector<float> state;
    for (int step = 0; step < 9; ++step) {
      const std::vector<float> floats = Uniform(1037, step);
      ExpectSameBits(SentFloats(*codec, floats, &state), plain.Send(floats, momentum, 1.5f));
      std::vector<float> want = plain.rest;
      if (momentum > 0) want.insert(want.end(), plain.u.begin(), plain.u.end());
      ExpectSameBits(state, want);
    }
  }
}

// A u that cancels the rest begins again, as one of a float that is sent does.
TEST(SparseBits, ARestOfZeroBeginsAgain) {
  AllReduceProto settings;
  settings.set_sparsity(0.3f);
  const auto codec = CodecOf(AllReduceProto::kTopK, settings, 0.5f);
  std::vector<float> state;
  SentFloats(*codec, {8, 1, 0}, &state);
  EXPECT_EQ(state, (std::vector<float>{0, 1, 0, 0, 1, 0}));
  SentFloats(*codec, {8, -1.5f, 0}, &state);
  EXPECT_EQ(state, (std::vector<float>{0, 0, 0, 0, 0, 0}));
}

constexpr LowRankShape kShapes[] = {{1, 1, 1},   {4, 8, 2},    {5, 7, 1},
                                    {3, 17, 3},  {9, 16, 4},   {37, 129, 5},
                                    {64, 24, 8}, {2, 1000, 1}, {1000, 3, 2}};

// Adds partial sums, one for each column modulo 8, by halves.
float SumOf(std::array<float, 8> sums) {
  for (size_t width = 4; width > 0; width /= 2)
    for (size_t i = 0; i < width; ++i) sums[i] += sums[i + width];
  return sums[0];
}

// M begins at an address that is not aligned to a vector.
TEST(LowRankBits, OfAProductAreThoseOfEightPartialSums) {
  for (const LowRankShape& shape : kShapes) {
    const std::vector<float> room = Uniform(1 + shape.size(), 1), q = Uniform(shape.q_size(), 2);
    const std::span<const float> m = std::span(room).subspan(1);
    std::vector<float> p(shape.p_size()), want(shape.p_size());
    TimesQ(shape, m, q, p);
    for (int64_t row = 0; row < shape.rows; ++row)
      for (int64_t i = 0; i < shape.rank; ++i) {
        std::array<float, 8> sums = {};
        for (int64_t col = 0; col < shape.cols; ++col)
          sums[col % 8] += m[row * shape.cols + col] * q[col * shape.rank + i];
        want[row * shape.rank + i] = SumOf(sums);
      }
    ExpectSameBits(p, want);
  }
}

TEST(LowRankBits, OfATransposedProductFollowTheRows) {
  for (const LowRankShape& shape : kShapes) {
    const std::vector<float> room = Uniform(1 + shape.size(), 1), p = Uniform(shape.p_size(), 2);
    const std::span<const float> m = std::span(room).subspan(1);
    std::vector<float> q(shape.q_size(), 7.f), want(shape.q_size());
    TransposedTimesP(shape, m, p, q);
    for (int64_t row = 0; row < shape.rows; ++row)
      for (int64_t col = 0; col < shape.cols; ++col)
        for (int64_t i = 0; i < shape.rank; ++i)
          want[col * shape.rank + i] += m[row * shape.cols + col] * p[row * shape.rank + i];
    ExpectSameBits(q, want);
  }
}

TEST(LowRankBits, OfAnExpandedMatrixFollowTheRank) {
  for (const LowRankShape& shape : kShapes) {
    const std::vector<float> p = Uniform(shape.p_size(), 1), q = Uniform(shape.q_size(), 2);
    std::vector<float> room(2 + shape.size(), 7.f), want(2 + shape.size(), 7.f);
    Expand(shape, p, q, std::span(room).subspan(1, shape.size()));
    for (int64_t row = 0; row < shape.rows; ++row)
      for (int64_t col = 0; col < shape.cols; ++col) {
        float sum = 0;
        for (int64_t i = 0; i < shape.rank; ++i)
          sum += p[row * shape.rank + i] * q[col * shape.rank + i];
        want[1 + row * shape.cols + col] = sum;
      }
    ExpectSameBits(room, want);  // with a float before and one behind
  }
}

// The checksums come from a CPU with AVX-512. All x86-64 CPUs must give them.
TEST(CodecBits, AreTheSameOnEveryCpu) {
  const std::vector<float> floats = Uniform(5003, 9);
  std::vector<float> state;
  EXPECT_EQ(ChecksumOf(Encoded(*CodecOf(AllReduceProto::kFp16), floats, &state)), 0x5EAF486Bu);
  const std::shared_ptr<Codec> integers = Codecs().Make("kInt8");
  integers->Setup(AllReduceProto(), 0);
  EXPECT_EQ(ChecksumOf(Encoded(*integers, floats, &state)), 0x7C4D5408u);
  EXPECT_EQ(ChecksumOf(state), 0xAE4D3B32u);
  state.clear();
  const auto largest = CodecOf(AllReduceProto::kTopK, {}, 0.9f);
  uint32_t sent = 0;
  for (int step = 0; step < 5; ++step)
    sent ^= ChecksumOf(Encoded(*largest, Uniform(5003, step), &state));
  EXPECT_EQ(sent, 0x5EED5DB2u);
  EXPECT_EQ(ChecksumOf(state), 0x60D97A08u);
  const LowRankShape shape{61, 82, 5};
  std::vector<float> p(shape.p_size()), q = Uniform(shape.q_size(), 1);
  std::vector<float> m = Uniform(shape.size(), 2);
  TimesQ(shape, m, q, p);
  Orthonormalize(shape, p);
  EXPECT_EQ(ChecksumOf(p), 0x5EB9EB71u);
  TransposedTimesP(shape, m, p, q);
  Expand(shape, p, q, m);
  EXPECT_EQ(ChecksumOf(m), 0xF1972A6Au);
}

}  // namespace
}  // namespace singa::codec_bits_test
