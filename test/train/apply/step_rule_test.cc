#include "train/apply/step_rule.h"

#include <gtest/gtest.h>

#include <limits>

namespace singa {
namespace {

StepRule RuleOf(float clip_norm, JobProto::NonFinitePolicy on_nonfinite) {
  JobProto job;
  job.mutable_updater()->set_clip_norm(clip_norm);
  job.set_on_nonfinite(on_nonfinite);
  return StepRule(job);
}

TEST(StepRuleTest, AGradientWithinTheBoundStaysAsItIs) {
  const StepVerdict verdict = RuleOf(5, JobProto::kAbort).Judge(25);
  EXPECT_EQ(verdict.dropped, 0);
  EXPECT_EQ(verdict.scale, 1);
}

TEST(StepRuleTest, ALargerGradientIsScaledToTheBound) {
  EXPECT_EQ(RuleOf(5, JobProto::kAbort).Judge(400).scale, 0.25f);
}

TEST(StepRuleTest, WithoutABoundNothingIsScaled) {
  EXPECT_EQ(RuleOf(0, JobProto::kSkip).Judge(1e30).scale, 1);
}

TEST(StepRuleTest, AGradientThatIsNotFiniteDropsItsStep) {
  for (const double squares :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_NE(RuleOf(5, JobProto::kSkip).Judge(squares).dropped, 0) << squares;
}

TEST(StepRuleTest, UpdatesWaitForTheWholeGradientWhereItDecides) {
  EXPECT_FALSE(RuleOf(0, JobProto::kAbort).needs_all());
  EXPECT_TRUE(RuleOf(1, JobProto::kAbort).needs_all());
  EXPECT_TRUE(RuleOf(0, JobProto::kSkip).needs_all());
}

}  // namespace
}  // namespace singa
