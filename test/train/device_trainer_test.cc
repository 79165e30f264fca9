// Tests that a worker on a device trains to the bytes of one on the CPU with the same kernels.
// Copies, waits and the places of values make no difference. The device is emulated
// (support/emulated_gpu.h).
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "support/copies_of_steps.h"
#include "support/device_training.h"
#include "support/proof_layers.h"
#include "support/trainer_checkpoint.h"
#include "train/state/trainer_state.h"

namespace singa::device_trainer {
namespace {

// HostTwo runs on the host, as every layer that does not claim to run on a device.
SINGA_REGISTER_LAYER(HostTwo, TestTwo);

TEST_F(DeviceTrainer, AConvnetTrainsToTheBytesOfTheCpu) { ExpectReplayed(Job(Convnet(""))); }

TEST_F(DeviceTrainer, EachUpdaterDoes) {
  for (const UpdaterType type : {kAdaGrad, kRMSProp, kAdam, kNesterov}) {
    SCOPED_TRACE(UpdaterType_Name(type));
    JobProto job = Job(Convnet(""));
    job.mutable_updater()->set_type(type);
    job.mutable_updater()->mutable_rmsprop_conf()->set_rho(0.9f);
    job.mutable_updater()->mutable_adam_conf()->set_beta1(0.9f);
    job.mutable_updater()->mutable_adam_conf()->set_beta2(0.999f);
    ExpectSameAsOnTheCpu(job);
  }
}

TEST_F(DeviceTrainer, WithABoundOnTheNorm) {
  JobProto job = Job(Convnet(""));
  job.mutable_updater()->set_clip_norm(0.1f);
  ExpectSameAsOnTheCpu(job);
}

// The net has kSplit, kSlice and kConcate, and a layer of the host between layers of the device.
TEST_F(DeviceTrainer, WithBranchesAndALayerOnTheHost) {
  ExpectSameAsOnTheCpu(
      Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ", Params("fc"),
                 R"( innerproduct_conf { num_output: 6 } }
    layer { name: "two" user_type: "HostTwo" srclayers: "fc" }
    layer { name: "slice" type: kSlice srclayers: "two:1" slice_conf { slice_dim: 1 num_slices: 2 } }
    layer { name: "tanh" type: kSTanh srclayers: "slice:0" }
    layer { name: "all" type: kConcate srclayers: "two:0" srclayers: "tanh" srclayers: "slice:1"
            srclayers: "tanh" concate_conf { concate_dim: 1 num_concates: 1 } }
    layer { name: "top" type: kInnerProduct srclayers: "all" innerproduct_conf { num_output: 4 } )",
                 Params("top"), R"( }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "top" srclayers: "data" }
    layer { name: "best" type: kAccuracy srclayers: "top" srclayers: "data" })")));
}

// The host makes its numbers for a replayed step before the step begins, wherever they are in the
// net. Here they come from an input, and from a layer of the host between two of the device.
TEST_F(DeviceTrainer, WithInputsThatComeLateInTheNet) {
  const std::string store = "backend: 'synthetic' batchsize: 6 shape: 3 shape: 8 shape: 8 ";
  const std::string records = "synthetic_conf { records: 40 classes: 4 }";
  const std::string four = "innerproduct_conf { num_output: 4 } }";
  ExpectReplayed(
      Job(StrCat("layer { name: 'a' type: kRecordInput store_conf { ", store, records,
                 " has_label: false std_value: 255 } }",
                 "layer { name: 'crop' type: kImagePreprocess srclayers: 'a' rgbimage_conf { "
                 "cropsize: 6 } } layer { name: 'of_a' type: kInnerProduct srclayers: 'crop' ",
                 Params("a"), four, "layer { name: 'b' type: kRecordInput store_conf { ", store,
                 records, " std_value: 50 mean_value: 90 } }",
                 "layer { name: 'of_b' type: kInnerProduct srclayers: 'b' ", Params("b"), four,
                 "layer { name: 'two' user_type: 'HostTwo' srclayers: 'b' }",
                 "layer { name: 'of_two' type: kInnerProduct srclayers: 'two:1' ", Params("two"),
                 four, R"(layer { name: "all" type: kConcate srclayers: "of_a" srclayers: "of_b"
            srclayers: "of_two" concate_conf { concate_dim: 1 num_concates: 1 } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "all" srclayers: "b" })")));
}

TEST_F(DeviceTrainer, ItsBatchesTravelInAStreamOfTheirOwn) {
  JobProto job = Job(Convnet(""));
  job.add_gpu(0);
  Trainer trainer(job, 1);
  EXPECT_NE(trainer.model().ctx().uploads, nullptr);
  EXPECT_NE(trainer.model().ctx().uploads, trainer.model().ctx().stream);
}

// The checkpoint of step 7 is restored into a trainer that has done no steps or other steps.
TEST_F(DeviceTrainer, AResumedOneGoesOnAsIfItHadNotStopped) {
  JobProto job = Job(Convnet(""));
  job.mutable_updater()->set_type(kAdam);  // its rule counts updates
  job.mutable_updater()->mutable_adam_conf()->set_beta1(0.9f);
  job.mutable_updater()->mutable_adam_conf()->set_beta2(0.999f);
  const Trained seven = Train(job, false, 7), twelve = Train(job, false);
  job.add_gpu(0);
  Trainer first(job, 1);
  Begin(&first);
  for (int64_t step = 0; step < 7; ++step) first.TrainStep(step);
  const TempDir dir;
  const std::unique_ptr<Checkpoint> checkpoint =
      CheckpointOf(TrainerState(&first), 7, dir.Path("ws"));
  std::map<std::string, std::vector<float>> saved;
  for (const StoredTensor& tensor : checkpoint->params().tensors()) {
    const auto* data = static_cast<const float*>(tensor.data);
    saved[tensor.name] = {data, data + tensor.shape.size()};
  }
  EXPECT_EQ(saved, seven.params);
  for (const int64_t before : {0, 4}) {
    SCOPED_TRACE(before);
    Trainer resumed(job, 1);
    Begin(&resumed);
    for (int64_t step = 0; step < before; ++step) resumed.TrainStep(step);
    TrainerState(&resumed).Restore(*checkpoint);
    for (int64_t step = 7; step < 12; ++step) resumed.TrainStep(step);
    ExpectSame(Result(&resumed), twelve);
  }
}

// All but the first step diverge. The gradients of a layer on the host go through the host.
TEST_F(DeviceTrainer, AStepWithoutEffectLeavesTheValues) {
  JobProto job = Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ",
                            Params("fc"), R"( innerproduct_conf { num_output: 7 } }
    layer { name: "host" user_type: "HostLinear" srclayers: "fc"
            param { name: "v" init { type: kUniform low: -0.1 high: 0.1 } }
            innerproduct_conf { num_output: 4 } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "host" srclayers: "data" })"),
                     "on_nonfinite: kSkip");
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(1e38f);
  const Trained on_device = Train(job, true), on_cpu = Train(job, false);
  EXPECT_EQ(on_device.params, on_cpu.params);
  EXPECT_EQ(on_device.metrics, on_cpu.metrics);
  EXPECT_EQ(on_cpu.metrics.back(), Train(job, false, 1).metrics.back());
}

// Each copy takes longer than a small kernel.
TEST_F(DeviceTrainer, IsToldOfAStepInOneCopyAndReportsInOne) {
  JobProto job = Job(Convnet(""));
  job.add_gpu(0);
  Trainer trainer(job, 1);
  Begin(&trainer);
  const int64_t copies = CopiesOfSixSteps([&](int64_t step) { trainer.TrainStep(step); },
                                          [&] { trainer.path().Await(); });
  constexpr int64_t kOfBatch = 4;  // images and labels, to the device and to their reader's memory
  EXPECT_EQ(copies, 6 * (kOfBatch + 2));
}

TEST_F(DeviceTrainer, AParamOfBothSidesIsAnError) {
  JobProto job = Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ",
                            Params("fc"), R"( innerproduct_conf { num_output: 192 } }
    layer { name: "host" user_type: "HostLinear" srclayers: "fc" param { share_from: "fcw" }
            innerproduct_conf { num_output: 192 } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "host" srclayers: "data" })"));
  job.add_gpu(0);
  Trainer trainer(job, 1);
  try {
    trainer.Allocate();
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "param \"fcw\" is shared by layer \"fc\", on the GPU, and layer \"host\", which "
                 "runs on the CPU alone");
  }
}

SINGA_REGISTER_LAYER(HostLinear, TestLinear);

}  // namespace
}  // namespace singa::device_trainer
