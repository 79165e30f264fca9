#include "io/picture/digits.h"

#include <gtest/gtest.h>

#include <set>

#include "io/picture/stroke.h"

namespace singa {
namespace {

TEST(Digits, DependOnSeedStreamAndIndexAlone) {
  const DigitSet all = DrawDigits(1, "train", 20);
  std::array<uint8_t, kDigitPixels> pixel;
  EXPECT_EQ(DrawDigit(1, "train", 7, pixel), all.labels[7]);
  EXPECT_TRUE(std::equal(pixel.begin(), pixel.end(), &all.pixels[7 * kDigitPixels]));
  EXPECT_NE(DrawDigits(2, "train", 20).pixels, all.pixels);
  EXPECT_NE(DrawDigits(1, "t10k", 20).pixels, all.pixels);
}

TEST(Digits, HaveAllLabelsAboutEquallyOften) {
  std::vector<int> count(10);
  for (uint8_t label : DrawDigits(1, "train", 5000).labels) ++count.at(label);
  for (int n : count) EXPECT_NEAR(n, 500, 100);
}

TEST(Digits, AreAllDifferent) {
  const DigitSet set = DrawDigits(1, "train", 2000);
  std::set<std::vector<uint8_t>> pictures;
  for (auto at = set.pixels.begin(); at != set.pixels.end(); at += kDigitPixels)
    pictures.insert({at, at + kDigitPixels});
  EXPECT_EQ(pictures.size(), 2000u);
}

TEST(Digits, AreWrittenInSeveralWaysThatFillTheirBox) {
  for (int digit = 0; digit < 10; ++digit) {
    EXPECT_GE(GlyphsOf(digit).size(), 3u);
    for (const auto& glyph : GlyphsOf(digit)) {
      float top = 0, bottom = 0;
      for (const Stroke& stroke : glyph)
        for (const Point& p : stroke) {
          EXPECT_LE(std::abs(p.x), 0.75f) << digit;
          EXPECT_LE(std::abs(p.y), 1.05f) << digit;
          top = std::min(top, p.y);
          bottom = std::max(bottom, p.y);
        }
      EXPECT_GT(bottom - top, 1.65f) << digit;
    }
  }
}

}  // namespace
}  // namespace singa
