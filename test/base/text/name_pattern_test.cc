#include "base/text/name_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace singa {
namespace {

TEST(MatchesPattern, AStarStandsForAnyText) {
  EXPECT_TRUE(MatchesPattern("conv*", "conv1_0"));
  EXPECT_TRUE(MatchesPattern("conv*", "conv"));
  EXPECT_FALSE(MatchesPattern("conv*", "deconv1_0"));
  EXPECT_TRUE(MatchesPattern("*conv*_0", "deconv1_0"));
  EXPECT_TRUE(MatchesPattern("*_0", "a_0_0"));
  EXPECT_TRUE(MatchesPattern("block*.conv*/w", "block12.conv1/w"));
  EXPECT_TRUE(MatchesPattern("**", ""));
}

TEST(MatchesPattern, AQuestionMarkStandsForOneByte) {
  EXPECT_TRUE(MatchesPattern("w?", "w1"));
  EXPECT_FALSE(MatchesPattern("w?", "w"));
  EXPECT_FALSE(MatchesPattern("w?", "w12"));
  EXPECT_TRUE(MatchesPattern("?*", "w12"));
}

TEST(MatchesPattern, OtherCharactersStandForThemselves) {
  EXPECT_TRUE(MatchesPattern("w[1]", "w[1]"));
  EXPECT_FALSE(MatchesPattern("w[1]", "w1"));
  EXPECT_FALSE(MatchesPattern("w1", "w12"));
  EXPECT_FALSE(MatchesPattern("w12", "w1"));
  EXPECT_FALSE(MatchesPattern("", "w"));
  EXPECT_TRUE(MatchesPattern("", ""));
}

// The time is no power of the number of stars.
TEST(MatchesPattern, ManyStarsAreFast) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(MatchesPattern(pattern + "b", std::string(10000, 'a')));
}

}  // namespace
}  // namespace singa
