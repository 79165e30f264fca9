#include "io/picture/stroke.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace singa::stroke {
namespace {

// Returns the length of a glyph's strokes.
float LengthOf(const std::vector<Stroke>& glyph) {
  float length = 0;
  for (const Stroke& stroke : glyph)
    for (size_t i = 1; i < stroke.size(); ++i)
      length += std::hypot(stroke[i].x - stroke[i - 1].x, stroke[i].y - stroke[i - 1].y);
  return length;
}

TEST(Strokes, EachDigitHasSeveralForms) {
  for (int digit = 0; digit < 10; ++digit) EXPECT_GE(GlyphsOf(digit).size(), 3u) << digit;
}

TEST(Strokes, FillTheirPlace) {
  for (int digit = 0; digit < 10; ++digit)
    for (const auto& glyph : GlyphsOf(digit)) {
      float top = 1, bottom = -1;
      for (const Stroke& stroke : glyph) {
        EXPECT_GE(stroke.size(), 2u) << digit;
        for (const Point& point : stroke) {
          EXPECT_LE(std::abs(point.x), 1.f) << digit;
          EXPECT_LE(std::abs(point.y), 1.1f) << digit;
          top = std::min(top, point.y);
          bottom = std::max(bottom, point.y);
        }
      }
      EXPECT_LT(top, -0.8f) << digit;
      EXPECT_GT(bottom, 0.8f) << digit;
    }
}

TEST(Strokes, CurvesAreFine) {
  const Stroke& zero = GlyphsOf(0)[0][0];
  ASSERT_GT(zero.size(), 15u);
  EXPECT_NEAR(zero.front().x, zero.back().x, 1e-5);  // it is closed
  EXPECT_NEAR(zero.front().y, zero.back().y, 1e-5);
  for (const Point& point : zero)
    EXPECT_NEAR(std::pow(point.x / 0.58f, 2) + std::pow(point.y / 0.97f, 2), 1, 1e-5);
}

// A 1 is a line, and each other digit is longer.
TEST(Strokes, TheShortestDigitIsOne) {
  EXPECT_FLOAT_EQ(LengthOf(GlyphsOf(1)[0]), 2);
  for (int digit = 0; digit < 10; ++digit)
    for (const auto& glyph : GlyphsOf(digit))
      EXPECT_GT(LengthOf(glyph), digit == 1 ? 1.9f : 2.5f) << digit;
}

}  // namespace
}  // namespace singa::stroke
