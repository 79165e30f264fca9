// Tests the schedules that reach final_lr at step change_freq.
#include <gtest/gtest.h>

#include <cmath>

#include "support/train/schedule.h"

namespace singa {
namespace {

struct Rate {
  int64_t step;
  float rate;
};

void ExpectRates(const std::string& conf, const std::vector<Rate>& expected) {
  for (const Rate& one : expected)
    EXPECT_NEAR(RateAt(conf, one.step), one.rate, 1e-7) << "step " << one.step;
}

// The numbers are from tool/golden/learning_rates.py.
TEST(Annealing, CosineGivesPyTorchsRates) {
  ExpectRates("type: kCosine base_lr: 0.5 cosine_conf { change_freq: 20 final_lr: 0.125 }",
              {{0, 0.5f},
               {1, 0.497691564f},
               {7, 0.397623219f},
               {10, 0.3125f},
               {19, 0.127308436f},
               {20, 0.125f}});
}

TEST(Annealing, PolynomialGivesPyTorchsRates) {
  ExpectRates("type: kPolynomial base_lr: 0.5 polynomial_conf { change_freq: 20 power: 2.5 }",
              {{0, 0.5f},
               {1, 0.439824095f},
               {7, 0.170315195f},
               {10, 0.0883883476f},
               {19, 0.000279508497f},
               {20, 0}});
  ExpectRates(
      "type: kPolynomial base_lr: 0.5 "
      "polynomial_conf { change_freq: 20 power: 2.5 final_lr: 0.125 }",
      {{0, 0.5f},
       {1, 0.454868071f},
       {7, 0.252736396f},
       {10, 0.191291261f},
       {19, 0.125209631f},
       {20, 0.125f}});
}

TEST(Annealing, PolynomialIsALineUnlessAPowerIsSet) {
  const std::string conf = "type: kPolynomial base_lr: 1 polynomial_conf { change_freq: 8 }";
  EXPECT_EQ(RateAt(conf, 0), 1.f);
  EXPECT_EQ(RateAt(conf, 2), 0.75f);
  EXPECT_EQ(RateAt(conf, 7), 0.125f);
}

TEST(Annealing, StaysAtTheFinalRate) {
  for (const int64_t step : {int64_t{10}, int64_t{11}, int64_t{20}, kFarStep}) {
    EXPECT_EQ(RateAt("type: kCosine base_lr: 1 cosine_conf { change_freq: 10 }", step), 0.f);
    EXPECT_EQ(
        RateAt("type: kPolynomial base_lr: 1 polynomial_conf { change_freq: 10 final_lr: 0.25 }",
               step),
        0.25f);
  }
}

TEST(Annealing, CountsFractionsOfEpochs) {
  const LRGenProto conf =
      ParseSchedule("type: kCosine base_lr: 1 unit: kEpochs cosine_conf { change_freq: 3 }");
  const auto rate = MakeLearningRate(conf, 2.5);
  for (const int64_t step : {0, 1, 4, 7})
    EXPECT_NEAR(rate->At(step), (1 + std::cos(M_PI * step / 7.5)) / 2, 1e-6);
  EXPECT_EQ(rate->At(8), 0.f);
}

TEST(Annealing, MayRise) {
  EXPECT_EQ(RateAt("type: kCosine base_lr: 0.25 cosine_conf { change_freq: 10 final_lr: 0.75 }", 5),
            0.5f);
}

TEST(Annealing, WarmUpRisesToTheRateOfTheSameStep) {
  const std::string conf = "type: kCosine base_lr: 1 cosine_conf { change_freq: 8 }";
  for (const int64_t step : {0, 1, 2, 3})
    EXPECT_FLOAT_EQ(RateAt(conf + " warmup_steps: 4", step),
                    RateAt(conf, step) * static_cast<float>(step + 1) / 4);
  EXPECT_EQ(RateAt(conf + " warmup_steps: 4", 4), RateAt(conf, 4));
}

TEST(AnnealingConf, NeedsTheMessageOfItsType) {
  EXPECT_EQ(ScheduleErrorOf("type: kCosine"), "cosine_conf: is missing; type kCosine needs it");
  EXPECT_EQ(ScheduleErrorOf("type: kPolynomial"),
            "polynomial_conf: is missing; type kPolynomial needs it");
}

TEST(AnnealingConf, NamesTheFieldOutOfRange) {
  EXPECT_EQ(ScheduleErrorOf("type: kCosine base_lr: 0 cosine_conf { change_freq: 1 }"),
            "base_lr: must be > 0, is 0");
  EXPECT_EQ(ScheduleErrorOf("type: kCosine cosine_conf { change_freq: 0 }"),
            "cosine_conf.change_freq: must be >= 1, is 0");
  EXPECT_EQ(ScheduleErrorOf("type: kCosine cosine_conf { change_freq: 1 final_lr: -1 }"),
            "cosine_conf.final_lr: must be >= 0, is -1");
  EXPECT_EQ(ScheduleErrorOf("type: kPolynomial polynomial_conf { change_freq: -1 }"),
            "polynomial_conf.change_freq: must be >= 1, is -1");
  EXPECT_EQ(ScheduleErrorOf("type: kPolynomial polynomial_conf { change_freq: 1 final_lr: inf }"),
            "polynomial_conf.final_lr: must be >= 0, is inf");
  EXPECT_EQ(ScheduleErrorOf("type: kPolynomial polynomial_conf { change_freq: 1 power: 0 }"),
            "polynomial_conf.power: must be > 0, is 0");
  EXPECT_EQ(ScheduleErrorOf("type: kPolynomial polynomial_conf { change_freq: 1 power: nan }"),
            "polynomial_conf.power: must be > 0, is nan");
}

}  // namespace
}  // namespace singa
