// Tests that a trainer with clip_norm reports the norm of the mean gradient of its last step. It
// does so on the host and on an emulated device.
#include <gtest/gtest.h>

#include <cmath>

#include "support/device_training.h"

namespace singa::device_trainer {
namespace gradient_norm {

constexpr double kRate = 0.05;

JobProto PlainSgd(float clip_norm, const std::string& more = "") {
  JobProto job = Job(Convnet(""), more);
  job.mutable_updater()->clear_momentum();
  job.mutable_updater()->clear_weight_decay();
  if (clip_norm > 0) job.mutable_updater()->set_clip_norm(clip_norm);
  return job;
}

class GradientNorm : public DeviceTrainer, public ::testing::WithParamInterface<bool> {
 protected:
  std::unique_ptr<Trainer> Start(JobProto job) const {
    if (GetParam()) job.add_gpu(0);
    auto trainer = std::make_unique<Trainer>(job, 1);
    Begin(trainer.get());
    EXPECT_EQ(trainer->why_host_updates().empty(), GetParam());
    return trainer;
  }
  static std::vector<float> Values(Trainer* trainer) {
    trainer->path().Download();
    std::vector<float> values;
    for (const auto& param : trainer->model().params().params())
      values.insert(values.end(), param->host().data(), param->host().data() + param->size());
    return values;
  }
  // Trains a step. Returns the distance that the values moved, divided by kRate.
  static double TrainStep(Trainer* trainer, int64_t step) {
    const std::vector<float> before = Values(trainer);
    trainer->TrainStep(step);
    const std::vector<float> after = Values(trainer);
    double squares = 0;
    for (size_t i = 0; i < before.size(); ++i) squares += std::pow(after[i] - before[i], 2);
    return std::sqrt(squares) / kRate;
  }
};
INSTANTIATE_TEST_SUITE_P(Device, GradientNorm, ::testing::Bool());

TEST_P(GradientNorm, IsTheLengthOfAnUnboundedStep) {
  const auto trainer = Start(PlainSgd(1e9f));
  for (int64_t step = 0; step < 5; ++step) {
    const double length = TrainStep(trainer.get(), step);
    EXPECT_GT(length, 0.1);
    EXPECT_NEAR(trainer->GradientNorm(step).value(), length, 1e-4 * length) << step;
  }
}

TEST_P(GradientNorm, IsThatBeforeItIsBounded) {
  const auto trainer = Start(PlainSgd(0.1f));
  const double unbounded = TrainStep(Start(PlainSgd(1e9f)).get(), 0);
  EXPECT_NEAR(TrainStep(trainer.get(), 0), 0.1, 1e-4);
  EXPECT_NEAR(trainer->GradientNorm(0).value(), unbounded, 1e-4 * unbounded);
}

TEST_P(GradientNorm, IsNotComputedWithoutABound) {
  const auto trainer = Start(PlainSgd(0));
  TrainStep(trainer.get(), 0);
  EXPECT_FALSE(trainer->GradientNorm(0));
}

TEST_P(GradientNorm, IsNanOfAStepThatIsSkipped) {
  JobProto job = PlainSgd(1e30f, "on_nonfinite: kSkip");
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(1e38f);
  const auto trainer = Start(job);
  trainer->TrainStep(0);
  EXPECT_GT(trainer->GradientNorm(0).value(), 0);
  trainer->TrainStep(1);
  EXPECT_TRUE(std::isnan(trainer->GradientNorm(1).value()));
  EXPECT_EQ(trainer->updates().skips(), 1);
}

}  // namespace gradient_norm
}  // namespace singa::device_trainer
