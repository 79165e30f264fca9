// Tests that ranges of float16 are converted as single numbers are, at any size and address.
#include "math/elementwise/float16_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "math/elementwise/half.h"
#include "singa/base/philox.h"

namespace singa::float16_range_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<uint32_t> BitsOf(const std::vector<float>& floats) {
  std::vector<uint32_t> bits(floats.size());
  std::memcpy(bits.data(), floats.data(), floats.size() * sizeof(float));
  return bits;
}

// Returns floats of any bits: NaN, infinities, denormals and overflows are among them.
std::vector<float> AnyFloats(int64_t n, uint32_t step) {
  std::vector<float> floats(n);
  const Philox random{.seed = 3, .purpose = 1, .step = step};
  for (int64_t i = 0; i < n; ++i) floats[i] = std::bit_cast<float>(random.Word(i));
  return floats;
}

// Expects that a range that begins `skip` floats and bytes behind an aligned address is converted
// as single numbers are, and that no byte behind it is written.
void ExpectPacksAsSingleNumbers(const std::vector<float>& floats, int64_t skip, float clip,
                                float factor) {
  constexpr std::byte kMark{0xA5};
  const int64_t n = std::ssize(floats);
  std::vector<float> x(skip + n);
  std::ranges::copy(floats, x.begin() + skip);
  std::vector<std::byte> y(skip + 2 * n + 1, kMark);
  PackFloat16(x.data() + skip, n, clip, factor, y.data() + skip);
  EXPECT_EQ(y.back(), kMark);
  for (int64_t i = 0; i < n; ++i) {
    uint16_t half;
    std::memcpy(&half, y.data() + skip + 2 * i, sizeof half);
    ASSERT_EQ(half, Float16::From(std::clamp(floats[i], -clip, clip) * factor))
        << floats[i] << " at " << i << " of " << n;
  }
}

TEST(Float16Range, PacksAsSingleNumbers) {
  for (const int64_t n : {0, 1, 7, 8, 9, 15, 16, 17, 63, 1001})
    for (const int64_t skip : {0, 1, 3})
      for (const float clip : {kInf, 1e30f, 2.f})
        for (const float factor : {1.f, 0x1p-100f, 0x1p+14f})
          ExpectPacksAsSingleNumbers(AnyFloats(n, static_cast<uint32_t>(n)), skip, clip, factor);
}

// Halves of each size, the floats between them, and their neighbours.
TEST(Float16Range, RoundsAsSingleNumbersDo) {
  std::vector<float> floats;
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
    const float x = Float16::ToFloat(static_cast<uint16_t>(bits));
    const auto float_bits = std::bit_cast<uint32_t>(x);
    for (const uint32_t apart : {0u, 1u, 0xFFFu, 0x1000u, 0x1001u})
      floats.push_back(std::bit_cast<float>(float_bits + apart));
  }
  ExpectPacksAsSingleNumbers(floats, 0, kInf, 1);
  for (int exponent = -30; exponent <= -24; ++exponent)  // below the smallest half, and at it
    for (const float share : {1.f, 1.25f, 1.5f, 1.75f})
      floats.push_back(std::ldexp(share, exponent));
  ExpectPacksAsSingleNumbers(floats, 1, kInf, 1);
}

TEST(Float16Range, UnpacksAsSingleNumbers) {
  std::vector<std::byte> x(2 << 16);
  for (uint32_t bits = 0; bits < 1 << 16; ++bits) std::memcpy(&x[2 * bits], &bits, 2);
  for (const int64_t n : {0, 1, 7, 8, 9, 17, (1 << 16) - 2})
    for (const int64_t skip : {0, 1})  // with 1, the bytes of two numbers come together
      for (const float factor : {1.f, 0x1p-120f, 0x1p+120f}) {
        std::vector<float> y(n + 1, 7.f), want(n + 1, 7.f);
        UnpackFloat16(x.data() + skip, n, factor, y.data());
        for (int64_t i = 0; i < n; ++i) {
          uint16_t half;
          std::memcpy(&half, x.data() + skip + 2 * i, sizeof half);
          want[i] = Float16::ToFloat(half) * factor;
        }
        EXPECT_EQ(BitsOf(y), BitsOf(want)) << n;
      }
}

}  // namespace
}  // namespace singa::float16_range_test
