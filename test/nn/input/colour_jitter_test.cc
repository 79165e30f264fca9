#include "nn/input/colour_jitter.h"

#include <gtest/gtest.h>

#include <set>

#include "nn/input/colour_elements.h"
#include "support/elements.h"
#include "support/random_values.h"

namespace singa {
namespace {

const Philox kTintNumbers = {.seed = 7, .purpose = HashName("image"), .step = 3};
const RowSpan kTintSpan = {.first = 4, .rows = 5, .batch = 11, .first_step = 2, .steps = 3};

void ExpectTinted(const Tint& tint, std::vector<float> rgb, const std::vector<float>& want) {
  ApplyTint(tint, rgb.data());
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(rgb[c], want[c], 1e-3) << c;
}

// Golden numbers by numpy and Python's colorsys: clip(b x), clip(c x + (1 - c) grey of the image),
// clip(s x + (1 - s) grey of the pixel), hue + turn.
TEST(ColourJitter, ChangesColoursInTheirOrder) {
  ExpectTinted({1.2f, 0.8f, 1.3f, 0.1f, 100}, {10, 200, 90}, {0, 230.0695f, 231.9737f});
  ExpectTinted({0.9f, 1.4f, 0.5f, -0.25f, 80}, {250, 30, 60}, {88.5972f, 45.1972f, 169.7972f});
  ExpectTinted({1, 1, 1, 0.5f, 0}, {40, 60, 220}, {220, 200, 40});
}

TEST(ColourJitter, AHalfCircleTwiceIsTheColourAgain) {
  for (const std::vector<float>& colour : {std::vector<float>{255, 0, 0},
                                           {0, 255, 0},
                                           {0, 0, 255},
                                           {255, 255, 0},
                                           {0, 255, 255},
                                           {255, 0, 255},
                                           {7, 7, 7},
                                           {0, 0, 0},
                                           {12, 99, 98}}) {
    std::vector<float> rgb = colour;
    TurnHue(0.5f, rgb.data());
    TurnHue(-0.5f, rgb.data());
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(rgb[c], colour[c], 1e-3);
  }
}

TEST(ColourJitter, ATintOfOnesChangesNothing) {
  ExpectTinted({}, {0, 255, 12.5f}, {0, 255, 12.5f});
}

TEST(ColourJitter, TintsAreInTheirRangesAndOfEachRow) {
  Context ctx;
  const int64_t n = 2000;
  std::vector<Tint> tints(n);
  DrawTints(ctx, kTintNumbers, {.rows = n, .batch = n}, {0.4f, 1.5f, 0, 0.1f}, tints.data(), n);
  std::set<float> seen;
  Tint least, most;
  for (const Tint& tint : tints) {
    seen.insert(tint.brightness);
    least.brightness = std::min(least.brightness, tint.brightness);
    most.brightness = std::max(most.brightness, tint.brightness);
    least.contrast = std::min(least.contrast, tint.contrast);
    most.contrast = std::max(most.contrast, tint.contrast);
    most.hue = std::max(most.hue, std::abs(tint.hue));
    EXPECT_EQ(tint.saturation, 1);
    EXPECT_EQ(tint.grey, 0);
  }
  EXPECT_GT(seen.size(), 1900u);
  EXPECT_NEAR(least.brightness, 0.6, 0.01);
  EXPECT_NEAR(most.brightness, 1.4, 0.01);
  EXPECT_NEAR(least.contrast, 0, 0.01);
  EXPECT_NEAR(most.contrast, 2.5, 0.01);
  EXPECT_NEAR(most.hue, 0.1, 0.001);
}

TEST(ColourJitter, GreyIsTheMeanOfTheBrightenedImage) {
  Context ctx;
  const ImageShape shape = {2, 3, 9, 10};
  std::vector<float> y = RandomValues("y", shape.size());
  for (float& value : y) value = std::abs(value) * 200;
  std::vector<Tint> tints = {{.brightness = 0.5f}, {.brightness = 3}};
  std::vector<float> parts(2 * kGreyParts);
  GreyMeans(ctx, y.data(), shape, tints.data(), parts.data());
  for (int n = 0; n < 2; ++n) {
    double sum = 0;
    for (int i = 0; i < 90; ++i) {
      const float* const rgb = &y[(n * 90 + i) * 3];
      const double factors[] = {0.2989, 0.587, 0.114};
      for (int c = 0; c < 3; ++c)
        sum += factors[c] * std::min(255., double{tints[n].brightness} * rgb[c]);
    }
    EXPECT_NEAR(tints[n].grey, sum / 90, 1e-3) << n;
  }
}

TEST(ColourJitter, ThreadsOfADeviceComputeWhatThePlainKernelsDo) {
  Context ctx;
  const StepState state = {.step = 12};
  const TintRules rules = {0.4f, 0.4f, 0.4f, 0.1f};
  std::vector<Tint> want(15), got(15);
  ctx.device_state = &state;
  DrawTints(ctx, kTintNumbers, kTintSpan, rules, want.data(), 15);
  RunElements(15, DrawTint{kTintNumbers, &state, kTintSpan, rules, got.data()});
  const ImageShape shape = {15, 3, 4, 5}, from = {15, 3, 6, 7};
  std::vector<float> x = RandomValues("x", shape.size()), mean = RandomValues("m", 6 * 7 * 3);
  for (float& value : x) value = std::abs(value) * 100;
  std::vector<float> y = x, parts(15 * kGreyParts), own_parts(15 * kGreyParts);
  GreyMeans(ctx, x.data(), shape, want.data(), parts.data());
  RunElements(15 * kGreyParts, GreyPart{y.data(), 20, got.data(), own_parts.data()});
  RunElements(15, GreyMean{own_parts.data(), 20, got.data()});
  std::vector<Cut> cuts(15);
  cuts[1] = {-2, 3, 1};
  cuts[2] = {1, 2, 1, 3, 5};
  JitterColours(ctx, x.data(), shape, want.data(), from, mean.data(), cuts.data(), 0.5f);
  RunElements(15 * 20,
              JitterPixel{y.data(), shape, from, got.data(), mean.data(), cuts.data(), 0.5f});
  EXPECT_EQ(x, y);
  for (int i = 0; i < 2 * 5 * 3; ++i) EXPECT_EQ(x[60 + i], 0) << i;  // the rows above the source
}

}  // namespace
}  // namespace singa
