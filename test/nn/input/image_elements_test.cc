// Compares a device's threads on images, run on the host, with the plain kernels.
#include "nn/input/image_elements.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/elements.h"
#include "support/random_values.h"

namespace singa {
namespace {

const Philox kCutNumbers = {.seed = 7, .purpose = HashName("cut"), .step = 3};
const RowSpan kCutSpan = {.first = 4, .rows = 5, .batch = 11, .first_step = 2, .steps = 3};

bool operator==(const Cut& a, const Cut& b) {
  return a.y == b.y && a.x == b.x && a.mirror == b.mirror && a.height == b.height &&
         a.width == b.width;
}

TEST(ImageElementsTest, CutsAreThoseOfThePlainKernel) {
  Context ctx;
  for (const CutRules& rules :
       {CutRules{9, 7, 4, 5, 2, true, true}, CutRules{9, 7, 9, 7, 0, true, false},
        CutRules{9, 7, 4, 4, 1, false, true}, CutRules{9, 7, 4, 5, 0, true, true, 0.2f, 1, 2},
        CutRules{9, 7, 4, 5, 0, false, true, 0.2f, 1, 2}}) {
    std::vector<Cut> want(15), got(15);
    DrawCuts(ctx, kCutNumbers, kCutSpan, rules, want.data(), 15);
    RunElements(15, DrawCut{kCutNumbers, nullptr, kCutSpan, rules, got.data()});
    for (size_t r = 0; r < 15; ++r) EXPECT_TRUE(got[r] == want[r]) << r;
  }
}

TEST(ImageElementsTest, CutsGoWithTheStepOfTheDevice) {
  const CutRules rules = {50, 50, 10, 10, 0, true, true};
  const StepState state = {.step = 12};
  Context ctx;
  ctx.device_state = &state;
  Philox of_step = kCutNumbers;
  of_step.step = 12;
  std::vector<Cut> want(15), plain(15), got(15);
  RunElements(15, DrawCut{of_step, nullptr, kCutSpan, rules, want.data()});
  RunElements(15, DrawCut{kCutNumbers, &state, kCutSpan, rules, got.data()});
  DrawCuts(ctx, kCutNumbers, kCutSpan, rules, plain.data(), 15);
  for (size_t r = 0; r < 15; ++r) EXPECT_TRUE(got[r] == want[r] && plain[r] == want[r]) << r;
}

TEST(ImageElementsTest, PixelsAreThoseOfThePlainKernel) {
  const ImageShape from = {5, 3, 5, 6};
  // The third is all 0; the last two are scaled.
  const std::vector<Cut> cuts = {
      {0, 0, 0}, {-2, 3, 1}, {1, 6, 1}, {1, 2, 0, 3, 4}, {0, 1, 1, 5, 2}};
  const std::vector<float> x = RandomValues("x", from.size()), mean = RandomValues("m", 90);
  Context ctx;
  for (const float* m : {mean.data(), static_cast<const float*>(nullptr)})
    for (int64_t width : {1, 4, 8}) {
      const ImageShape to = {5, 3, 4, width};
      std::vector<float> want(to.size(), -1), got(to.size(), -1);
      CutImages(ctx, x.data(), from, m, cuts.data(), 0.3f, want.data(), to.h, to.w);
      RunElements(to.size(), CutElement{x.data(), from, to, m, cuts.data(), 0.3f, got.data()});
      EXPECT_EQ(got, want);
    }
}

// Golden numbers by numpy: torch's interpolate of rows 1 to 3 and columns 1 to 4 to 2 x 3 pixels.
TEST(ImageElementsTest, AScaledPartIsInterpolated) {
  std::vector<float> x(20), y(6);
  for (int i = 0; i < 20; ++i) x[i] = std::pow(static_cast<float>(i + 1), 1.5f);
  const Cut cut = {1, 1, 0, 3, 4};
  Context ctx;
  CutImages(ctx, x.data(), {1, 1, 4, 5}, nullptr, &cut, 1, y.data(), 2, 3);
  const std::vector<float> want = {25.0169f, 31.0172f, 37.4249f, 63.9672f, 72.1019f, 80.5398f};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(y[i], want[i], 1e-3) << i;
}

// A source of 2 x 100 pixels holds no part of 90 % of its area whose sides have a ratio of at
// most 2.
TEST(ImageElementsTest, WhereNoPartFitsTheCentreIsTaken) {
  const CutRules rules = {2, 100, 2, 2, 0, true, false, 0.9f, 1, 2};
  for (int64_t row = 0; row < 20; ++row)
    EXPECT_TRUE(CutOf(rules, kCutNumbers, row) == (Cut{0, 48, 0, 2, 4})) << row;
}

}  // namespace
}  // namespace singa
