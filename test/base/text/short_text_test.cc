// Tests texts that are cut to a length.
#include "base/text/short_text.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(ShortTextTest, LeavesWhatFits) {
  EXPECT_EQ(ShortText("", 3), "");
  EXPECT_EQ(ShortText("abcde", 5), "abcde");
}

TEST(ShortTextTest, CutsWhatIsLongerAndShowsIt) {
  EXPECT_EQ(ShortText("abcdef", 5), "ab...");
  EXPECT_EQ(ShortText(std::string(70'000, 'x'), 1000), std::string(997, 'x') + "...");
}

TEST(ShortTextTest, CutsBetweenCharacters) {
  EXPECT_EQ(ShortText("a\u00e9\u00e9\u00e9", 6), "a\u00e9...");
  EXPECT_EQ(ShortText("a\u00e9\u00e9\u00e9", 5), "a...");
  EXPECT_EQ(ShortText("\x80\x80\x80\x80\x80\x80", 5), "...");  // no UTF-8
}

}  // namespace
}  // namespace singa
