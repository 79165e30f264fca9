#include "driver/plan/model_errors.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "io/temp_dir.h"

namespace singa {
namespace {

TEST(FittedError, IsTheMedianOfAllSizes) {
  const ModelError error = FittedError({-0.3, 0.1, 0.04, -0.08, 0.02});
  EXPECT_EQ(error.relative, 0.08);
  EXPECT_EQ(error.plans, 5);
}

TEST(FittedError, IsAssumedForFewPlans) {
  EXPECT_EQ(FittedError({0.3, 0.3, 0.3}).plans, 0);
  EXPECT_EQ(FittedError({0.3, 0.3, 0.3}).relative, ModelError().relative);
}

TEST(FittedError, IsNoSmallerThanTheDifferencesOfTrainings) {
  EXPECT_EQ(FittedError({0, 0, 0, 0}).relative, 0.02);
}

class ModelErrorsTest : public testing::Test {
 protected:
  ModelErrorsTest() { setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~ModelErrorsTest() override { unsetenv("XDG_CACHE_HOME"); }

  static JobPlan Predicted(double ms, double measured_ms, const char* layer = "") {
    JobPlan plan;
    if (*layer) plan.division[layer] = kWholeLayout;
    plan.cost.step_ms = ms;
    plan.measured_ms = measured_ms;
    return plan;
  }

  TempDir folder_;
};

TEST_F(ModelErrorsTest, AreKeptForPlansThatWereMeasured) {
  KeepModelErrors({Predicted(11, 10), Predicted(5, 0, "a"), Predicted(9, 10, "b")});
  EXPECT_EQ(KeptModelError().plans, 0) << "two are too few";
  KeepModelErrors({Predicted(12, 10), Predicted(12, 10), Predicted(11, 10, "b")});
  EXPECT_EQ(KeptModelError().plans, 4);
  EXPECT_NEAR(KeptModelError().relative, 0.1, 1e-9);
}

TEST_F(ModelErrorsTest, ThatAreOldGiveWay) {
  for (int i = 0; i < 150; ++i) KeepModelErrors({Predicted(i < 40 ? 100 : 11, 10)});
  EXPECT_EQ(KeptModelError().plans, 100);
  EXPECT_NEAR(KeptModelError().relative, 0.1, 1e-9);
}

TEST_F(ModelErrorsTest, AreLeftOutWithoutAFolderToWrite) {
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  KeepModelErrors({Predicted(11, 10)});
  EXPECT_EQ(KeptModelError().plans, 0);
}

}  // namespace
}  // namespace singa
