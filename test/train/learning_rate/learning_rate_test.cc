#include "singa/train/learning_rate.h"

#include <gtest/gtest.h>

#include "support/train/schedule.h"

namespace singa {
namespace {

TEST(LearningRateUnit, ChangesWithTheStepThatCompletesAnEpoch) {
  for (const std::string conf :
       {"type: kStep base_lr: 1 unit: kEpochs step_conf { gamma: 0.5 change_freq: 3 }",
        "type: kFixedStep unit: kEpochs fixedstep_conf { step: 0 step: 3 step_lr: 1 step_lr: 0.5 "
        "}"}) {
    const auto rate = MakeLearningRate(ParseSchedule(conf), 10 / 3.);
    EXPECT_EQ(rate->At(9), 1.f) << conf;
    EXPECT_EQ(rate->At(10), 0.5f) << conf;
  }
}

TEST(LearningRateUnit, WarmsUpOverEpochs) {
  const auto rate =
      MakeLearningRate(ParseSchedule("type: kFixed base_lr: 1 unit: kEpochs warmup_steps: 2"), 2.5);
  EXPECT_FLOAT_EQ(rate->At(0), 0.2f);
  EXPECT_FLOAT_EQ(rate->At(3), 0.8f);
  EXPECT_EQ(rate->At(4), 1.f);
}

TEST(LearningRate, StepMultipliesEveryChangeFreqSteps) {
  const std::string conf = "type: kStep base_lr: 1 step_conf { gamma: 0.5 change_freq: 10 }";
  EXPECT_EQ(RateAt(conf, 0), 1.f);
  EXPECT_EQ(RateAt(conf, 9), 1.f);
  EXPECT_EQ(RateAt(conf, 10), 0.5f);
  EXPECT_EQ(RateAt(conf, 39), 0.125f);
  EXPECT_EQ(RateAt(conf, kFarStep), 0.f);
}

TEST(LearningRate, WarmUpRisesToTheSchedulesRate) {
  const std::string conf =
      "type: kLinear base_lr: 1 linear_conf { change_freq: 100 final_lr: 0 } warmup_steps: 4";
  EXPECT_EQ(RateAt(conf, 0), 0.25f);
  EXPECT_EQ(RateAt(conf, 1), 0.495f);
  EXPECT_EQ(RateAt(conf, 4), 0.96f);
  EXPECT_EQ(ScheduleErrorOf("type: kFixed warmup_steps: -1"), "warmup_steps: must be >= 0, is -1");
}

TEST(LearningRate, FixedStepFindsItsEntryAtAnyStep) {
  const std::string conf =
      "type: kFixedStep fixedstep_conf { step: 5 step: 10 step: 20 "
      "step_lr: 0.5 step_lr: 0.25 step_lr: 0.125 }";
  EXPECT_EQ(RateAt(conf, 0), 0.5f);  // before the first entry: the first rate
  EXPECT_EQ(RateAt(conf, 9), 0.5f);
  EXPECT_EQ(RateAt(conf, 10), 0.25f);
  EXPECT_EQ(RateAt(conf, 20), 0.125f);
  EXPECT_EQ(RateAt(conf, kFarStep), 0.125f);
}

TEST(LearningRateConf, NamesTheMissingMessage) {
  EXPECT_EQ(ScheduleErrorOf("type: kStep"), "step_conf: is missing; type kStep needs it");
  EXPECT_EQ(ScheduleErrorOf("type: kFixedStep"),
            "fixedstep_conf: is missing; type kFixedStep needs it");
}

TEST(LearningRateConf, NamesTheFieldOutOfRange) {
  EXPECT_EQ(ScheduleErrorOf("type: kStep step_conf { change_freq: 0 }"),
            "step_conf.change_freq: must be >= 1, is 0");
  EXPECT_EQ(ScheduleErrorOf("type: kStep step_conf { change_freq: 1 gamma: 0 }"),
            "step_conf.gamma: must be > 0, is 0");
}

TEST(LearningRateConf, WantsAsManyRatesAsGrowingSteps) {
  EXPECT_EQ(ScheduleErrorOf("type: kFixedStep fixedstep_conf { }"),
            "fixedstep_conf.step: must be set at least once, is not set");
  EXPECT_EQ(ScheduleErrorOf("type: kFixedStep fixedstep_conf { step: 0 step: 5 step_lr: 1 }"),
            "fixedstep_conf.step_lr: must be set as often as step: 2, is set 1 times");
  EXPECT_EQ(
      ScheduleErrorOf("type: kFixedStep fixedstep_conf { step: 5 step: 5 step_lr: 1 step_lr: 2 }"),
      "fixedstep_conf.step#1: must grow, has 5 after 5");
}

class CosineRate final : public LearningRate {
 public:
  void Setup(const LRGenProto& conf) override { base_ = conf.base_lr(); }
  float At(int64_t step) const override { return step ? 0 : base_; }

 private:
  float base_ = 0;
};
SINGA_REGISTER_LEARNING_RATE(Cosine, CosineRate);

TEST(LearningRateConf, FindsAUsersScheduleAndSuggestsItsName) {
  EXPECT_EQ(RateAt("user_type: \"Cosine\" base_lr: 2", 0), 2.f);
  EXPECT_EQ(ScheduleErrorOf("user_type: \"Cosin\""),
            "user_type: nothing is registered as \"Cosin\"; did you mean \"Cosine\"?");
  EXPECT_EQ(ScheduleErrorOf(""),
            "needs a type or a user_type; allowed: kFixed, kInverseT, kInverse, kExponential, "
            "kLinear, kStep, kFixedStep, kCosine or kPolynomial");
}

}  // namespace
}  // namespace singa
