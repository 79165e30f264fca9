#include "base/text/parse_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace singa {
namespace {

TEST(ParseNumber, AWholeTextIsANumber) {
  EXPECT_EQ(ParseNumber<int>("-7"), -7);
  EXPECT_EQ(ParseNumber<int64_t>("1099511627776"), int64_t{1} << 40);
  EXPECT_EQ(ParseNumber<double>("2.5e-1"), 0.25);
  EXPECT_TRUE(std::isinf(ParseNumber<float>("inf").value_or(0)));
}

TEST(ParseNumber, OtherCharactersAreRefused) {
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x10", "1.0", "-", "one"})
    EXPECT_FALSE(ParseNumber<int>(text)) << text;
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x10", "1,0", "."})
    EXPECT_FALSE(ParseNumber<float>(text)) << text;
}

TEST(ParseNumber, NumbersOutOfRangeAreRefused) {
  EXPECT_FALSE(ParseNumber<int>("2147483648"));
  EXPECT_FALSE(ParseNumber<float>("1e39"));
  EXPECT_FALSE(ParseNumber<float>("1e-60"));
  EXPECT_FALSE(ParseNumber<uint32_t>("-1"));
}

}  // namespace
}  // namespace singa
