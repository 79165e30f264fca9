#include "base/file/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace singa {
namespace {

// The vectors are those of RFC 3720, B.4.
struct Vector {
  std::vector<uint8_t> bytes;
  uint32_t crc;
};

std::vector<Vector> Rfc3720() {
  std::vector<uint8_t> rising(32), falling(32);
  std::iota(rising.begin(), rising.end(), uint8_t{0});
  std::iota(falling.rbegin(), falling.rend(), uint8_t{0});
  const std::vector<uint8_t> iscsi_read = {
      0x01, 0xc0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0,
      0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0,    0};
  return {{std::vector<uint8_t>(32, 0), 0x8a9136aa},
          {std::vector<uint8_t>(32, 0xff), 0x62a8ab43},
          {rising, 0x46dd794e},
          {falling, 0x113fdb5c},
          {iscsi_read, 0xd9963a56}};
}

TEST(Crc32c, IsThatOfRfc3720) {
  for (const Vector& v : Rfc3720()) {
    EXPECT_EQ(Crc32c(v.bytes.data(), v.bytes.size()), v.crc);
    EXPECT_EQ(ExtendCrc32cPlain(0, v.bytes.data(), v.bytes.size()), v.crc);
  }
}

TEST(Crc32c, OfNothingIsZero) { EXPECT_EQ(Crc32c(nullptr, 0), 0u); }

TEST(Crc32c, ExtendsOverPieces) {
  const std::string text = "123456789";
  EXPECT_EQ(Crc32c(text.data(), text.size()), 0xe3069283u);
  for (size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(ExtendCrc32c(Crc32c(text.data(), cut), text.data() + cut, text.size() - cut),
              0xe3069283u);
}

TEST(Crc32c, InstructionEqualsTableWhereSeveralRunsAreTakenAtOnce) {
  std::mt19937 random(2);
  std::vector<uint8_t> bytes(3 * 3072 + 100);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (size_t n = 3000; n + 3 <= bytes.size(); n += n % 3072 < 40 || n % 3072 > 3030 ? 1 : 97)
    ASSERT_EQ(ExtendCrc32c(7, &bytes[3], n), ExtendCrc32cPlain(7, &bytes[3], n)) << n;
}

TEST(Crc32c, InstructionEqualsTableAtEveryLengthAndOffset) {
  std::mt19937 random(1);
  std::vector<uint8_t> bytes(100);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  for (size_t offset = 0; offset < 9; ++offset)
    for (size_t n = 0; offset + n <= bytes.size(); ++n)
      ASSERT_EQ(ExtendCrc32c(7, &bytes[offset], n), ExtendCrc32cPlain(7, &bytes[offset], n));
}

}  // namespace
}  // namespace singa
