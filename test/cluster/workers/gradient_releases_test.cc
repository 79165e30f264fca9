// Tests how much of an exchange a backward pass hides. Slices of 1000 floats have four params.
#include "cluster/workers/gradient_releases.h"

#include <gtest/gtest.h>

namespace singa::gradient_releases {
namespace {

class MovedClock final : public Clock {
 public:
  int64_t Now() const override { return now_ms * kMillisecond; }
  int64_t now_ms = 1000;
};

class GradientReleasesTest : public testing::Test {
 protected:
  // Releases param 3 first and param 0 last, with `between` ms before each of these. To submit a
  // slice takes `submits` ms.
  void Steps(int between, int submits = 0, int steps = 5) {
    for (int step = 0; step < steps; ++step) {
      for (int slice = 3; slice >= 0; --slice) {
        clock_.now_ms += between;
        releases_.OnSum(slice, step);
        clock_.now_ms += submits;
        releases_.OnSubmitted(slice, step);
      }
      releases_.EndStep();
    }
  }

  MovedClock clock_;
  const SliceTable table_{std::vector<Shape>(4, Shape({1000}))};
  GradientReleases releases_{table_, 1, &clock_};
};

TEST_F(GradientReleasesTest, AllIsExposedBeforeStepsAreKnown) {
  EXPECT_EQ(releases_.ExposedMs(8), 8);
  Steps(1, 0, 2);
  EXPECT_EQ(releases_.ExposedMs(8), 8) << "the first two do not count";
}

TEST_F(GradientReleasesTest, AllIsExposedBehindThePass) {
  Steps(0);
  EXPECT_DOUBLE_EQ(releases_.ExposedMs(8), 8);
}

// Each slice takes 2 ms. If the link is never idle, only the 3 ms between the first release and the
// last are hidden.
TEST_F(GradientReleasesTest, ABusyLinkHidesThePass) {
  Steps(1);
  EXPECT_DOUBLE_EQ(releases_.ExposedMs(8), 8 - 3);
}

TEST_F(GradientReleasesTest, TheLastGradientIsExposed) {
  Steps(10);
  EXPECT_DOUBLE_EQ(releases_.ExposedMs(8), 2);
}

TEST_F(GradientReleasesTest, WholeGradientsNeedNoTimeToEncode) {
  Steps(1, 100);
  EXPECT_DOUBLE_EQ(releases_.ExposedMs(8), 8 - 3);
}

}  // namespace
}  // namespace singa::gradient_releases
