#include "base/file/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace singa {
namespace {

// The values are those of FIPS 180-2, appendix B.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TakesPieces) {
  Sha256 sha;
  sha.Update("a", 1);
  sha.Update("bc", 2);
  EXPECT_EQ(sha.Hex(), Sha256Hex("abc"));
}

TEST(RandomHex, NeverRepeats) {
  const std::string a = RandomHex(8), b = RandomHex(8);
  EXPECT_EQ(a.size(), 16u);
  EXPECT_EQ(a.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace singa
