// Tests steps whose layers and updates are on a device. device_updates_test.cc tests their numbers.
// The device is emulated: it does its work only when the host waits for it.
#include "train/trainer/device_path.h"

#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/device_training.h"

namespace singa::device_trainer {
namespace device_path {

class DevicePathTest : public DeviceTrainer {
 protected:
  static JobProto DeviceJob(bool on_device = true) {
    JobProto job = Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ",
                              Params("fc"), R"( innerproduct_conf { num_output: 4 } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" })"));
    if (on_device) job.add_gpu(0);
    return job;
  }
  static void Train(Trainer* trainer, int64_t steps) {
    Begin(trainer);
    for (int64_t step = 0; step < steps; ++step) trainer->TrainStep(step);
  }
  // Returns the error of a step whose pass cannot read its records.
  static std::string ErrorOfAReadIn(Trainer* trainer, int64_t step) {
    try {
      trainer->path().Run(
          step, [] { throw DataError("x.csv", 7, "is damaged"); }, false);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(DevicePathTest, AFailedReadEndsItsStep) {
  Trainer trainer(DeviceJob(), 1);
  Train(&trainer, 2);
  EXPECT_NE(ErrorOfAReadIn(&trainer, 2).find("is damaged"), std::string::npos);
}

// Step 1 diverges, which the host has not seen when the read of step 2 fails.
TEST_F(DevicePathTest, AnEarlierDivergenceIsToldBeforeAFailedRead) {
  JobProto job = DeviceJob();
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(1e38f);
  Trainer trainer(job, 1);
  Train(&trainer, 2);
  EXPECT_EQ(ErrorOfAReadIn(&trainer, 2), "step 1: the loss of layer \"loss\" is not finite");
}

TEST_F(DevicePathTest, ADivergenceIsToldWhenStepsAreAwaited) {
  JobProto job = DeviceJob();
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(1e38f);
  Trainer trainer(job, 1);
  Train(&trainer, 2);
  EXPECT_THROW(trainer.path().Await(), DivergedError);
}

TEST_F(DevicePathTest, TheNormIsThatOfTheLastStepUnderWay) {
  double norms[2];
  for (const bool on_device : {false, true}) {
    JobProto job = DeviceJob(on_device);
    job.mutable_updater()->set_clip_norm(1e30f);
    Trainer trainer(job, 1);
    Train(&trainer, 3);
    norms[on_device] = trainer.path().GradientNorm(2);
  }
  EXPECT_NEAR(norms[1], norms[0], 1e-6 * norms[0]);
}

TEST_F(DevicePathTest, MetricsHaveTheStepsUnderWay) {
  Trainer trainer(DeviceJob(), 1);
  Train(&trainer, 3);
  trainer.path().CollectMetrics();
  EXPECT_EQ(trainer.metrics().entries()[0].weight, 3 * 6) << "rows of three batches";
}

}  // namespace device_path
}  // namespace singa::device_trainer
