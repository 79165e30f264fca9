#include "base/text/formatted.h"

#include <gtest/gtest.h>

#include <limits>

namespace singa {
namespace {

TEST(Formatted, HasTheWordsOfTheFormat) {
  EXPECT_EQ(Formatted(2.25, "%.1f MB"), "2.2 MB");
  EXPECT_EQ(Formatted(7, "+%.0f %% of a step"), "+7 % of a step");
}

TEST(Formatted, HasAllDigitsOfTheLargestNumber) {
  const std::string text = Formatted(std::numeric_limits<double>::max(), "%.6f");
  EXPECT_EQ(text.size(), 309u + 7u);
  EXPECT_EQ(std::stod(text), std::numeric_limits<double>::max());
}

TEST(MsText, HasThreeDigits) {
  EXPECT_EQ(MsText(0.0125), "0.0125 ms");
  EXPECT_EQ(MsText(1.254), "1.25 ms");
  EXPECT_EQ(MsText(99.97), "100 ms");
}

TEST(MsText, HasNothingBelowAMicrosecond) {
  EXPECT_EQ(MsText(2e-6), "0 ms");
  EXPECT_EQ(MsText(0.001), "0.001 ms");
}

TEST(MsText, HasAllDigitsBeforeThePoint) { EXPECT_EQ(MsText(12345.6), "12346 ms"); }

}  // namespace
}  // namespace singa
