#include "driver/plan/plan_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace singa::plan_report {
namespace {

using testing::HasSubstr;
using testing::Not;

// Returns plans of two workers, of which the one has a step of 1 ms.
JobPlans PlansOf(double one_worker_ms) {
  JobPlans plans;
  plans.cluster.workers = 2;
  plans.one_worker_ms = one_worker_ms;
  plans.plans.emplace_back();
  plans.plans[0].cost.step_ms = 1;
  return plans;
}

double SpeedUpOf(double one_worker_ms) {
  return nlohmann::json::parse(PlanJson(PlansOf(one_worker_ms)))["plans"][0]["speed_up"];
}

TEST(PlanReportTest, NoSpeedUpIsAboveTheNumberOfWorkers) {
  EXPECT_EQ(SpeedUpOf(1.5), 1.5);
  EXPECT_EQ(SpeedUpOf(40), 2);
}

TEST(PlanReportTest, ToldOfOtherPrograms) {
  JobPlans plans = PlansOf(1.5);
  EXPECT_THAT(PlanTable(plans), Not(HasSubstr("other programs")));
  plans.others = {1.83, 2};
  EXPECT_THAT(PlanTable(plans), HasSubstr("other programs used 1.8 of 2 cores: times are not "
                                          "reliable; -fresh on a quiet machine measures again\n"));
  EXPECT_EQ(nlohmann::json::parse(PlanJson(plans))["other_programs"]["of"], 2);
}

}  // namespace
}  // namespace singa::plan_report
