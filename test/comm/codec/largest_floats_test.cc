// Tests the search for the floats that sparse codecs send against a plain sort.
#include "comm/codec/largest_floats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "support/comm/sent_floats.h"

namespace singa::largest_floats_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

Positions SortedLargest(std::span<const float> floats, int64_t count) {
  Positions all(floats.size());
  std::iota(all.begin(), all.end(), 0);
  std::ranges::stable_sort(all, [&](uint32_t a, uint32_t b) {
    return MagnitudeBits(floats[a]) > MagnitudeBits(floats[b]);
  });
  all.resize(count);
  std::ranges::sort(all);
  return all;
}

Positions PlainFrom(std::span<const float> floats, uint32_t least) {
  Positions found;
  for (size_t i = 0; i < floats.size(); ++i)
    if (MagnitudeBits(floats[i]) >= least) found.push_back(static_cast<uint32_t>(i));
  return found;
}

void ExpectSortedLargest(std::span<const float> floats) {
  const int64_t n = std::ssize(floats);
  for (const int64_t count : {int64_t{1}, n / 1000, n / 20, n / 4, n - 1, n}) {
    if (count < 1) continue;
    EXPECT_EQ(PositionsOfLargest(floats, count), SortedLargest(floats, count))
        << count << " of " << n;
  }
}

TEST(LargestFloats, AreThoseOfASort) {
  for (const int n : {1, 2, 7, 8, 15, 16, 17, 255, 256, 257, 1023, 1024, 1025, 40'001}) {
    const std::vector<float> floats = Gaussian(n + 1, n);
    ExpectSortedLargest(floats);
    ExpectSortedLargest(std::span(floats).subspan(1));  // not aligned to a vector
  }
}

TEST(LargestFloats, AreTheFirstOfEqualOnes) {
  std::vector<float> floats = Gaussian(5000, 1);
  for (float& x : floats) x = std::round(x);
  ExpectSortedLargest(floats);
  ExpectSortedLargest(std::vector<float>(5000));
  ExpectSortedLargest(std::vector<float>(5000, -0.f));
}

TEST(LargestFloats, OrderSpecialNumbersByTheirBits) {
  std::vector<float> floats = Gaussian(5000, 2);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float least = std::numeric_limits<float>::denorm_min();
  const std::vector<float> special = {nan, -nan, kInf, -kInf, 3e38f, least, -least, 1e-40f};
  for (size_t i = 0; i < floats.size(); i += 9) floats[i] = special[i / 9 % special.size()];
  ExpectSortedLargest(floats);
}

// The search samples 16 floats of each 256.
TEST(LargestFloats, AreFoundWhereTheSampleMisleads) {
  for (const bool sampled : {false, true}) {
    std::vector<float> floats = Gaussian(9000, 3);
    for (size_t i = 0; i < floats.size(); ++i)
      if ((i % 256 < 16) == sampled) floats[i] *= 1000;
    ExpectSortedLargest(floats);
  }
}

TEST(LargestFloats, BeginAtABound) {
  std::vector<float> floats = Gaussian(2051, 4);
  floats[5] = 0;
  floats[6] = -0.f;
  floats[7] = std::numeric_limits<float>::denorm_min();
  floats[8] = -std::numeric_limits<float>::quiet_NaN();
  floats[9] = kInf;
  for (const int64_t n : {0, 1, 9, 1024, 1031, 2051})
    for (const uint32_t least : {0u, 1u, 2u, MagnitudeBits(0.5f), MagnitudeBits(floats[20]),
                                 MagnitudeBits(kInf), MagnitudeBits(kInf) + 1, 0x7FFFFFFFu}) {
      const auto some = std::span(floats).last(n);
      EXPECT_EQ(PositionsFrom(some, least), PlainFrom(some, least)) << n << " from " << least;
    }
}

}  // namespace
}  // namespace singa::largest_floats_test
