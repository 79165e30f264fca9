// Tests which plans are measured by trainings.
#include "driver/plan/measure_plans.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/driver/plan_jobs.h"

namespace singa {
namespace {

TEST(MeasurePlans, LeavesOutPlansThatNeedTooMuchMemory) {
  std::vector<JobPlan> plans(2);
  plans[0].memory = 1000;
  plans[1].memory = 1001;
  plans[1].division = {{"fc1", LayoutByUnits(2)}};
  MeasurePlans(ImageJob(), WorkersOn(2), 1000, &plans);
  EXPECT_GT(plans[0].measured_ms, 0);
  EXPECT_EQ(plans[1].measured_ms, 0);
}

}  // namespace
}  // namespace singa
