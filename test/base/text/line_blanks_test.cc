#include "base/text/line_blanks.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(LineBlanks, AreCutOffBothEnds) {
  EXPECT_EQ(WithoutBlanks(" \ta b\t\r"), "a b");
  EXPECT_EQ(WithoutBlanks("a"), "a");
  EXPECT_EQ(WithoutBlanks(" \t\r"), "");
  EXPECT_EQ(WithoutBlanks(""), "");
}

TEST(LineBlanks, ALineOfThemIsBlank) {
  EXPECT_TRUE(IsBlankLine(""));
  EXPECT_TRUE(IsBlankLine(" \t\r"));
  EXPECT_FALSE(IsBlankLine(" \v"));
  EXPECT_FALSE(IsBlankLine(" 0"));
}

}  // namespace
}  // namespace singa
