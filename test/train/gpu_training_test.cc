// Tests that a convnet trained on each existing GPU has the losses and values of the CPU in
// float32, captured and not. The tolerance is 1e-4: a GPU adds up in another order, but in the same
// one each time.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/device_training.h"
#include "support/heard_log.h"
#include "support/test_device.h"

namespace singa::gpu_training {
namespace {

constexpr int64_t kSteps = 12;
constexpr double kTolerance = 1e-4;

class GpuTraining : public ::testing::TestWithParam<TestPlace> {
 protected:
  struct StepStats {
    std::vector<double> losses;  // means of each step, or of all steps if nobody looked before
    std::map<std::string, std::vector<float>> params;
    bool operator==(const StepStats&) const = default;
  };

  GpuTraining() {
    if (GetParam() == TestPlace::kEmulated) machine_.emplace(1);
    job_ = device_trainer::Job(device_trainer::Convnet(""));
    job_.set_precision(JobProto::kFloat32);
  }

  // `looks`: waits for each step's loss.
  StepStats Train(bool on_gpu, bool looks) const {
    JobProto job = job_;
    if (on_gpu) job.add_gpu(0);
    Trainer trainer(job, 1);
    EXPECT_EQ(trainer.why_host_updates().empty(), on_gpu);
    trainer.Allocate();
    InitParams(trainer.model().ctx(), {}, &trainer.model().params());
    trainer.path().MarkDeviceStale();
    StepStats course;
    for (int64_t step = 0; step < kSteps; ++step) {
      trainer.TrainStep(step);
      if (!looks && step + 1 < kSteps) continue;
      MetricSums& metrics = trainer.metrics();
      course.losses.push_back(metrics.entries().at(0).value());
      metrics.Reset();
    }
    trainer.path().Download();
    for (const auto& param : trainer.model().params().params()) {
      const Tensor& values = param->host();
      course.params[param->name()] = {values.data(), values.data() + values.size()};
    }
    return course;
  }

  void ExpectTheCpusCourse(bool looks) const {
    const StepStats cpu = Train(false, looks), gpu = Train(true, looks);
    ASSERT_EQ(gpu.losses.size(), cpu.losses.size());
    for (size_t i = 0; i < cpu.losses.size(); ++i)
      EXPECT_NEAR(gpu.losses[i], cpu.losses[i], kTolerance) << "step " << i;
    for (const auto& [name, values] : cpu.params)
      for (size_t i = 0; i < values.size(); ++i)
        ASSERT_NEAR(gpu.params.at(name).at(i), values[i], kTolerance) << name << " " << i;
  }

  std::optional<EmulatedMachine> machine_;
  JobProto job_;
  HeardLog log_;
};
SINGA_TEST_ON_ALL_GPUS(GpuTraining);

TEST_P(GpuTraining, HasTheLossOfTheCpuInEachStep) {
  ExpectTheCpusCourse(true);
  EXPECT_FALSE(log_.Has("a step cannot be captured"));
}

TEST_P(GpuTraining, HasItsMeanLossWhereNobodyWaitsForAStep) {
  ExpectTheCpusCourse(false);
  EXPECT_FALSE(log_.Has("a step cannot be captured"));
}

// A layer waits for the device, which no capture allows (Waits of device_updates_test.cc).
TEST_P(GpuTraining, HasTheLossOfTheCpuInStepsThatAreNotCaptured) {
  LayerProto* const waits = job_.mutable_neuralnet()->add_layer();
  waits->set_name("waits");
  waits->set_user_type("Waits");
  waits->add_srclayers("lrn");
  for (LayerProto& layer : *job_.mutable_neuralnet()->mutable_layer())
    if (layer.name() == "drop") layer.set_srclayers(0, "waits");
  ExpectTheCpusCourse(true);
  EXPECT_TRUE(log_.Has("a step cannot be captured"));
}

// The bytes do not depend on waits between steps.
TEST_P(GpuTraining, HasTheSameBytesEachTimeFromOneSeed) {
  for (const auto precision :
       {JobProto::kFloat32, JobProto::kTF32, JobProto::kBFloat16, JobProto::kFloat16}) {
    SCOPED_TRACE(JobProto::Precision_Name(precision));
    job_.set_precision(precision);
    const StepStats course = Train(true, true);
    EXPECT_TRUE(Train(true, true) == course);
    EXPECT_TRUE(Train(true, false).params == course.params);
  }
  const StepStats course = Train(true, true);
  job_.set_seed(job_.seed() + 1);
  EXPECT_FALSE(Train(true, true) == course);
}

// This difference shows that the tolerance is small enough.
TEST_P(GpuTraining, HasOtherLossesWithoutUpdates) {
  const std::vector<double> losses = Train(true, true).losses;
  job_.mutable_updater()->mutable_learning_rate()->set_base_lr(1e-12f);
  EXPECT_GT(std::abs(Train(true, true).losses.back() - losses.back()), 100 * kTolerance);
}

}  // namespace
}  // namespace singa::gpu_training
