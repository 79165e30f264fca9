#include "singa/comm/codec.h"

#include <gtest/gtest.h>

#include "comm/codec/identity.h"

namespace singa {
namespace {

TEST(CodecTest, IsFoundByItsName) {
  ASSERT_TRUE(Codecs().Has("kNone"));
  EXPECT_TRUE(Codecs().Make("kNone")->plain());
  EXPECT_EQ(Codecs().Make("kUnheardOf"), nullptr);
}

TEST(IdentityCodecTest, WritesWhatItReads) {
  const std::vector<float> floats = {1, -0.f, 3e38f};
  std::vector<std::byte> bytes(Identity().MostBytes(3));
  EXPECT_EQ(Identity().Encode(0, floats, {}, bytes.data()), 12);
  std::vector<float> read(3);
  EXPECT_TRUE(Identity().Decode(bytes, read));
  EXPECT_EQ(read, floats);
}

}  // namespace
}  // namespace singa
