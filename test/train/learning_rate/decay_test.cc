// Tests the schedules with one smooth formula.
#include <gtest/gtest.h>

#include "support/train/schedule.h"

namespace singa {
namespace {

TEST(Decay, FixedStays) {
  EXPECT_EQ(RateAt("type: kFixed base_lr: 0.25", 0), 0.25f);
  EXPECT_EQ(RateAt("type: kFixed base_lr: 0.25", kFarStep), 0.25f);
}

TEST(Decay, LinearGoesOnAfterChangeFreq) {
  const std::string conf =
      "type: kLinear base_lr: 1 linear_conf { change_freq: 100 final_lr: 0.5 }";
  EXPECT_EQ(RateAt(conf, 0), 1.f);
  EXPECT_EQ(RateAt(conf, 50), 0.75f);
  EXPECT_EQ(RateAt(conf, 100), 0.5f);
  EXPECT_EQ(RateAt(conf, 150), 0.25f);
  EXPECT_EQ(RateAt(conf, 201), 0.f);
}

TEST(Decay, ExponentialHalves) {
  const std::string conf = "type: kExponential base_lr: 1 exponential_conf { change_freq: 10 }";
  EXPECT_EQ(RateAt(conf, 10), 0.5f);
  EXPECT_FLOAT_EQ(RateAt(conf, 5), 0.70710678f);
  EXPECT_EQ(RateAt(conf, 40), 0.0625f);
}

TEST(Decay, InverseDecaysByAPower) {
  const std::string conf = "type: kInverse base_lr: 0.5 inverse_conf { gamma: 3 pow: 0.5 }";
  EXPECT_EQ(RateAt(conf, 0), 0.5f);
  EXPECT_EQ(RateAt(conf, 1), 0.25f);
  EXPECT_EQ(RateAt(conf, 5), 0.125f);
}

TEST(Decay, InverseTCountsFinalLrSteps) {
  const std::string conf = "type: kInverseT base_lr: 1 inverset_conf { final_lr: 10 }";
  EXPECT_EQ(RateAt(conf, 0), 1.f);
  EXPECT_EQ(RateAt(conf, 10), 0.5f);
  EXPECT_EQ(RateAt(conf, 30), 0.25f);
}

TEST(Decay, OfAFarStepIsNeverNegative) {
  for (const char* conf : {"type: kLinear base_lr: 1 linear_conf { change_freq: 10 }",
                           "type: kExponential base_lr: 1 exponential_conf { change_freq: 10 }"})
    EXPECT_EQ(RateAt(conf, kFarStep), 0.f) << conf;
}

TEST(DecayConf, NeedsTheMessageOfItsType) {
  EXPECT_EQ(ScheduleErrorOf("type: kLinear"), "linear_conf: is missing; type kLinear needs it");
  EXPECT_EQ(ScheduleErrorOf("type: kExponential"),
            "exponential_conf: is missing; type kExponential needs it");
  EXPECT_EQ(ScheduleErrorOf("type: kInverse"), "inverse_conf: is missing; type kInverse needs it");
  EXPECT_EQ(ScheduleErrorOf("type: kInverseT"),
            "inverset_conf: is missing; type kInverseT needs it");
}

TEST(DecayConf, NeedsABaseRateAboveZero) {
  for (const char* type : {"kFixed", "kLinear", "kExponential", "kInverse", "kInverseT"}) {
    EXPECT_EQ(ScheduleErrorOf(StrCat("type: ", type, " base_lr: 0")), "base_lr: must be > 0, is 0");
    EXPECT_EQ(ScheduleErrorOf(StrCat("type: ", type, " base_lr: nan")),
              "base_lr: must be > 0, is nan");
  }
}

TEST(DecayConf, NamesTheFieldOutOfRange) {
  EXPECT_EQ(ScheduleErrorOf("type: kInverseT inverset_conf { final_lr: 0 }"),
            "inverset_conf.final_lr: must be > 0, is 0");
  EXPECT_EQ(ScheduleErrorOf("type: kInverse inverse_conf { gamma: -1 }"),
            "inverse_conf.gamma: must be >= 0, is -1");
  EXPECT_EQ(ScheduleErrorOf("type: kInverse inverse_conf { gamma: 1 pow: inf }"),
            "inverse_conf.pow: must be finite, is inf");
  EXPECT_EQ(ScheduleErrorOf("type: kExponential exponential_conf { change_freq: 0 }"),
            "exponential_conf.change_freq: must be >= 1, is 0");
  EXPECT_EQ(ScheduleErrorOf("type: kLinear linear_conf { change_freq: 0 final_lr: 0 }"),
            "linear_conf.change_freq: must be >= 1, is 0");
  EXPECT_EQ(ScheduleErrorOf("type: kLinear linear_conf { change_freq: 1 final_lr: nan }"),
            "linear_conf.final_lr: must be finite, is nan");
}

}  // namespace
}  // namespace singa
