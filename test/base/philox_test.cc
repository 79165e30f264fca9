#include "singa/base/philox.h"

#include <gtest/gtest.h>

#include <cmath>

namespace singa {
namespace {

using Words = std::array<uint32_t, 4>;

// The answers are those of the Random123 distribution (kat_vectors, philox4x32 10).
TEST(Philox, GivesRandom123sKnownAnswers) {
  EXPECT_EQ((Philox{0, 0, 0}.Block(0)), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const Philox ones{~uint64_t{0}, ~0u, ~0u};
  EXPECT_EQ(ones.Block(~uint64_t{0}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  const Philox pi{.seed = 0x299f31d0a4093822, .purpose = 0x03707344, .step = 0x13198a2e};
  EXPECT_EQ(pi.Block(0x85a308d3243f6a88), (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, TakesWordsFromTheBlockOfTheirIndex) {
  const Philox stream{7, 8, 9};
  for (uint64_t i = 0; i < 12; ++i) EXPECT_EQ(stream.Word(i), stream.Block(i / 4)[i % 4]);
}

TEST(Philox, UniformNumbersStayBelowOne) {
  EXPECT_EQ(Philox::ToUniform(0), 0.f);
  EXPECT_EQ(Philox::ToUniform(0xFFFFFFFF), 1 - 0x1p-24f);
}

TEST(Philox, BelowStaysInRange) {
  const Philox stream{1, 2, 3};
  std::array<int, 7> counts{};
  for (uint64_t i = 0; i < 7000; ++i) ++counts[stream.Below(i, 7)];
  for (int count : counts) EXPECT_NEAR(count, 1000, 150);  // 5 standard deviations
}

// Compares with Box and Muller's formula in float64.
void ExpectGaussian(uint32_t a, uint32_t b) {
  const double pi = 3.14159265358979323846;
  const double u = (static_cast<double>(a >> 8) + 1) / 16777216;
  const double radius = std::sqrt(-2 * std::log(u));
  const double angle = 2 * pi * static_cast<double>(b >> 8) / 16777216;
  float even, odd;
  Philox::ToGaussian(a, b, &even, &odd);
  EXPECT_NEAR(even, radius * std::cos(angle), 1e-6) << a << " " << b;
  EXPECT_NEAR(odd, radius * std::sin(angle), 1e-6) << a << " " << b;
}

TEST(Philox, GaussianNumbersAreBoxAndMullers) {
  const Philox stream{5, 6, 7};
  for (uint64_t i = 0; i < 100'000; i += 2) ExpectGaussian(stream.Word(i), stream.Word(i + 1));
}

TEST(Philox, GaussianNumbersAreRightAtTheEndsOfEachRange) {
  for (uint32_t a : {0u, 0x100u, 0x7FFFFF00u, 0x80000000u, 0xB504F200u, 0xB504F300u, 0xFFFFFE00u})
    for (uint32_t eighth = 0; eighth < 8; ++eighth)
      for (uint32_t offset : {0u, 0x100u, 0xFFFFFF00u}) ExpectGaussian(a, (eighth << 29) + offset);
}

TEST(Philox, TheLargestWordGivesZero) {
  float even, odd;
  Philox::ToGaussian(0xFFFFFFFF, 0xFFFFFFFF, &even, &odd);
  EXPECT_EQ(even, 0);
  EXPECT_EQ(odd, 0);
}

TEST(Philox, NamesHaveTheirOwnStreams) {
  EXPECT_EQ(HashName(""), 2166136261u);
  EXPECT_EQ(HashName("a"), 0xE40C292Cu);  // FNV-1a's test vector
  EXPECT_NE(HashName("w1"), HashName("w2"));
}

}  // namespace
}  // namespace singa
