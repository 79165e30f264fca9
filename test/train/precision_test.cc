// Tests the values that a worker on a device trains to in 16 bits. The device is emulated: its
// products round their factors as math/elementwise/half.h does.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "io/temp_dir.h"
#include "nn/loss/scale_gradient.h"
#include "nn/loss/scale_gradient_elements.h"
#include "singa/base/error.h"
#include "support/device_training.h"
#include "support/elements.h"
#include "support/proof_layers.h"
#include "support/trainer_checkpoint.h"
#include "train/state/trainer_state.h"

namespace singa::device_trainer {
namespace precision_test {

TEST(LossScaleTest, GrowsAfterManyStepsAndHalvesAtOnce) {
  LossScale scale;
  EXPECT_EQ(scale.value(), 65536);
  for (int i = 0; i < 1999; ++i) scale.Took();
  EXPECT_EQ(scale.value(), 65536);
  scale.Took();
  EXPECT_EQ(scale.value(), 131072);
  scale.Took();
  EXPECT_TRUE(scale.BacksOff());
  EXPECT_EQ(scale.value(), 65536);
  EXPECT_EQ(scale.steps(), 0);
}

TEST(LossScaleTest, StaysBetweenOneAndItsMost) {
  LossScale scale;
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(scale.BacksOff());
  EXPECT_FALSE(scale.BacksOff());
  EXPECT_EQ(scale.value(), 1);
  ASSERT_TRUE(scale.Set(LossScale::kMost, LossScale::kGrowsAfter - 1));
  scale.Took();
  EXPECT_EQ(scale.value(), LossScale::kMost);
  EXPECT_EQ(scale.steps(), 0);
}

TEST(LossScaleTest, RefusesWhatItNeverIs) {
  LossScale scale;
  for (const int64_t value : {int64_t{0}, int64_t{-2}, int64_t{3}, 2 * LossScale::kMost})
    EXPECT_FALSE(scale.Set(value, 0));
  EXPECT_FALSE(scale.Set(2, -1));
  EXPECT_FALSE(scale.Set(2, LossScale::kGrowsAfter));
  EXPECT_EQ(scale.value(), LossScale::kFirst);
}

TEST(ScaleGradientTest, ElementsAreTheKernel) {
  const StepState state = {.step = 1, .loss_scale = 8};
  std::vector<float> host = {1, -2.5f, 3e-39f}, device = host;
  Context ctx;
  ScaleGradient(ctx, host.data(), 3, 1, &state);
  RunElements(3, ScaleGradientElement{device.data(), 1, &state});
  EXPECT_EQ(host, (std::vector<float>{8, -20, 8 * 3e-39f}));
  EXPECT_EQ(device, host);
}

TEST(ScaleGradientTest, AWeightComesBesideTheScaleOrAlone) {
  const StepState state = {.step = 1, .loss_scale = 8};
  Context ctx;
  for (const StepState* scale : {&state, static_cast<const StepState*>(nullptr)}) {
    std::vector<float> host = {1, -2.5f, 0}, device = host;
    ScaleGradient(ctx, host.data(), 3, -0.25f, scale);
    RunElements(3, ScaleGradientElement{device.data(), -0.25f, scale});
    EXPECT_EQ(host,
              scale ? (std::vector<float>{-2, 5, 0}) : (std::vector<float>{-0.25f, 0.625f, 0}));
    EXPECT_EQ(device, host);
  }
}

class PrecisionTest : public DeviceTrainer {
 protected:
  static JobProto In(JobProto::Precision precision, JobProto job) {
    job.set_precision(precision);
    return job;
  }
  static JobProto WithLoss(const std::string& settings) {
    return Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ",
                      Params("fc"), R"( innerproduct_conf { num_output: 4 } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" )",
                      settings, " }"));
  }
  // Returns a job whose conf multiplies the gradients by `scale`.
  static JobProto Scaled(float scale) {
    return WithLoss(StrCat("softmaxloss_conf { scale: ", scale, " }"));
  }
  static float Distance(const Trained& a, const Trained& b) {
    float most = 0;
    for (const auto& [name, values] : a.params)
      for (size_t i = 0; i < values.size(); ++i)
        most = std::max(most, std::abs(values[i] - b.params.at(name)[i]));
    return most;
  }
};

TEST_F(PrecisionTest, Tf32AndFloat32AreTheHostsFloat32) {
  for (const auto precision : {JobProto::kTF32, JobProto::kFloat32})
    ExpectSameAsOnTheCpu(In(precision, Job(Convnet(""))));
}

// The results are nearer to each other than to their first values, as far as 8 and 11 bits allow.
TEST_F(PrecisionTest, OfSixteenBitsTrainsToNearbyValues) {
  const Trained exact = Train(Job(Convnet("")), true);
  const float way = Distance(Train(Job(Convnet("")), true, 0), exact);
  const Trained brain = Train(In(JobProto::kBFloat16, Job(Convnet(""))), true);
  const Trained half = Train(In(JobProto::kFloat16, Job(Convnet(""))), true);
  EXPECT_EQ(brain.replays, 10);
  EXPECT_EQ(half.replays, 10);
  EXPECT_GT(Distance(brain, exact), 0);
  EXPECT_LT(Distance(brain, exact), 0.05f * way);
  EXPECT_GT(Distance(half, exact), 0);
  EXPECT_LT(Distance(half, exact), Distance(brain, exact));
}

TEST_F(PrecisionTest, OfSixteenBitsIsTheGpusAlone) {
  const Trained cpu = Train(Job(Convnet("")), false);
  ExpectSame(Train(In(JobProto::kBFloat16, Job(Convnet(""))), false), cpu);
  ExpectSame(Train(In(JobProto::kFloat16, Job(Convnet(""))), false), cpu);
}

// Factors below 2^-25 would become zeros. The gradients of this loss are that small.
TEST_F(PrecisionTest, ScalesGradientsThatFloat16WouldLose) {
  JobProto tiny = Scaled(1e-8f);
  tiny.mutable_updater()->set_weight_decay(0);
  tiny.mutable_updater()->mutable_learning_rate()->set_base_lr(1e6f);
  const Trained half = Train(In(JobProto::kFloat16, tiny), true), exact = Train(tiny, true);
  EXPECT_LT(Distance(half, exact), 1e-3f);
  EXPECT_GT(Distance(Train(tiny, true, 0), exact), 0.01f);
}

// A power of two as loss_weight gives the bits of the loss's own factor, whatever the precision.
TEST_F(PrecisionTest, ALossWeightIsAFactorOfGradientsAlone) {
  const JobProto weighted = WithLoss("loss_weight: 0.25"), scaled = Scaled(0.25f);
  for (const auto precision : {JobProto::kFloat32, JobProto::kFloat16})
    for (const bool on_device : {false, true}) {
      const Trained one = Train(In(precision, weighted), on_device);
      const Trained other = Train(In(precision, scaled), on_device);
      EXPECT_EQ(one.params, other.params);
      EXPECT_EQ(one.replays, on_device ? 10 : 0);
      EXPECT_FLOAT_EQ(static_cast<float>(one.metrics[0] / other.metrics[0]), 4);  // the loss
    }
}

// A gradient of up to 1000 / 6 overflows until the scale is 2^8. Each such step is skipped.
TEST_F(PrecisionTest, LeavesOutStepsUntilTheScaleFits) {
  JobProto job = In(JobProto::kFloat16, Scaled(1000));
  job.add_gpu(0);
  job.mutable_updater()->set_type(kAdam);  // its rule counts updates
  job.mutable_updater()->mutable_adam_conf()->set_beta1(0.9f);
  job.mutable_updater()->mutable_adam_conf()->set_beta2(0.999f);
  Trainer trainer(job, 1);
  Begin(&trainer);
  for (int64_t step = 0; step < 20; ++step) trainer.TrainStep(step);
  const double rows = trainer.metrics().entries()[0].weight;  // waits for the last step
  const int64_t left_out = std::countr_zero(static_cast<uint64_t>(LossScale::kFirst)) -
                           std::countr_zero(static_cast<uint64_t>(trainer.loss_scale()->value()));
  EXPECT_GT(left_out, 5);
  EXPECT_LT(left_out, 12);
  trainer.path().Download();
  EXPECT_EQ(trainer.replica().count(0), 20 - left_out);
  EXPECT_EQ(rows, 6. * static_cast<double>(20 - left_out));
  EXPECT_EQ(trainer.updates().skips(), 0);
  EXPECT_EQ(trainer.loss_scale()->steps(), 20 - left_out);
}

// Returns a committed checkpoint. Its scale is `scale`, if that is not 0.
std::unique_ptr<Checkpoint> Checkpointed(Trainer* trainer, const TempDir& dir, int64_t scale = 0) {
  return CheckpointOf(TrainerState(trainer), 12, dir.Path("ws"), [&scale](StoredTensor* tensor) {
    if (scale != 0 && tensor->name == "train/loss_scale") tensor->data = &scale;
  });
}

TEST_F(PrecisionTest, AResumedOneGoesOnWithItsScale) {
  JobProto job = In(JobProto::kFloat16, Scaled(1000));
  job.add_gpu(0);
  Trainer first(job, 1), second(job, 1);
  Begin(&first);
  for (int64_t step = 0; step < 12; ++step) first.TrainStep(step);
  const TempDir dir;
  const auto checkpoint = Checkpointed(&first, dir);
  Begin(&second);
  TrainerState(&second).Restore(*checkpoint);
  EXPECT_LT(second.loss_scale()->value(), LossScale::kFirst);
  EXPECT_EQ(second.loss_scale()->value(), first.loss_scale()->value());
  EXPECT_GT(second.loss_scale()->steps(), 0);
  EXPECT_EQ(second.loss_scale()->steps(), first.loss_scale()->steps());
  for (Trainer* trainer : {&first, &second})
    for (int64_t step = 12; step < 20; ++step) trainer->TrainStep(step);
  EXPECT_EQ(Result(&first).params, Result(&second).params);
}

TEST_F(PrecisionTest, AScaleThatNeverIsIsDamage) {
  JobProto job = In(JobProto::kFloat16, Scaled(1));
  job.add_gpu(0);
  Trainer trainer(job, 1);
  Begin(&trainer);
  const TempDir dir;
  const auto checkpoint = Checkpointed(&trainer, dir, 3);
  EXPECT_THROW(TrainerState(&trainer).Restore(*checkpoint), DataError);
}

// At scale 1 the gradients themselves are not finite.
TEST_F(PrecisionTest, EndsWhereNoScaleHelps) {
  JobProto job = In(JobProto::kFloat16, Scaled(1e30f));
  job.add_gpu(0);
  Trainer trainer(job, 1);
  Begin(&trainer);
  const auto train = [&] {
    for (int64_t step = 0; step < 30; ++step) trainer.TrainStep(step);
    trainer.Finish();
  };
  try {
    train();
    FAIL() << "no error";
  } catch (const DivergedError& error) {
    EXPECT_STREQ(error.what(),
                 "step 16: the gradient of param \"fcw\" of layer \"fc\" is not finite");
  }
}

void ExpectRefused(const JobProto& job, const char* path, const char* text) {
  try {
    Trainer trainer(job, 1);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), path);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST_F(PrecisionTest, ScalesNothingWhereTheHostUpdates) {
  JobProto job = In(JobProto::kFloat16,
                    Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ",
                               Params("fc"), R"( innerproduct_conf { num_output: 7 } }
    layer { name: "host" user_type: "HostTwice" srclayers: "fc" }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "host:0" srclayers: "data" })")));
  job.add_gpu(0);
  ExpectRefused(job, "precision", "must not be kFloat16");
  job.set_precision(JobProto::kBFloat16);
  EXPECT_NO_THROW(Trainer(job, 1));
}

SINGA_REGISTER_LAYER(HostTwice, TestTwo);

}  // namespace precision_test
}  // namespace singa::device_trainer
