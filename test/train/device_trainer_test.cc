// A worker on a device trains to the bytes of one on the CPU whose kernels it has: copies, waits
// and what lies where make no difference. The device is emulated (support/emulated_gpu.h).
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "singa/base/error.h"
#include "support/emulated_machine.h"
#include "support/proof_layers.h"
#include "train/init_params.h"
#include "train/trainer.h"
#include "train/trainer_state.h"

namespace singa::device_trainer {
namespace {

// On the host, as every layer that does not say that it may be on a device.
SINGA_REGISTER_LAYER(HostTwo, TestTwo);

constexpr char kData[] = R"(
  layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 6
          shape: 3 shape: 8 shape: 8 std_value: 255 synthetic_conf { records: 40 classes: 4 } } })";

std::string Params(const std::string& layer) {
  return StrCat("param { name: '", layer,
                "w' init { type: kUniform low: -0.1 high: 0.1 } } param { name: '", layer,
                "b' init { type: kConstant } wd_scale: 0 }");
}

std::string Convnet(const std::string& between) {
  return StrCat(kData, "layer { name: 'conv' type: kConvolution srclayers: 'data' ", Params("conv"),
                R"( convolution_conf { num_filters: 5 kernel: 3 pad: 1 } }
    layer { name: "relu" type: kReLU srclayers: "conv" }
    layer { name: "pool" type: kPooling srclayers: "relu" pooling_conf { kernel: 2 stride: 2 } }
    layer { name: "lrn" type: kLRN srclayers: "pool" lrn_conf { local_size: 3 } })",
                between,
                R"(layer { name: "drop" type: kDropout srclayers: "lrn" }
    layer { name: "fc" type: kInnerProduct srclayers: "drop" innerproduct_conf { num_output: 4 } )",
                Params("fc"),
                R"( } layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data"
    softmaxloss_conf { bits: true } })");
}

JobProto Job(const std::string& net, const std::string& more = "") {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat(R"(seed: 5 test_steps: 0 test_freq: 10 train_one_batch { alg: kBP }
      updater { type: kSGD momentum: 0.9 weight_decay: 0.001
                learning_rate { type: kFixed base_lr: 0.05 } }
      neuralnet { )",
             net, " } ", more),
      &job));
  return job;
}

struct Trained {
  std::map<std::string, std::vector<float>> params;
  std::vector<double> metrics, test;
};

class DeviceTrainer : public ::testing::Test {
 protected:
  static void Begin(Trainer* trainer) {
    trainer->Allocate();
    InitParams(trainer->ctx(), {}, &trainer->params());
    trainer->TakeValues();
  }

  static Trained Result(Trainer* trainer) {
    Trained trained;
    trainer->GiveValues();
    for (const auto& param : trainer->params().params()) {
      const Tensor& values = param->host();
      trained.params[param->name()] = {values.data(), values.data() + values.size()};
    }
    for (const auto& entry : trainer->metrics().entries()) trained.metrics.push_back(entry.sum);
    trainer->BringValues();
    const auto sums = trainer->evaluator(kTest)->Run(0, [] { return false; });
    for (const auto& entry : sums->entries()) trained.test.push_back(entry.value());
    return trained;
  }

  static Trained Train(JobProto job, bool on_device, int steps = 12) {
    if (on_device) job.add_gpu(0);
    Trainer trainer(job, 1);
    EXPECT_EQ(trainer.ctx().stream != nullptr, on_device);
    Begin(&trainer);
    for (int64_t step = 0; step < steps; ++step) trainer.TrainStep(step);
    return Result(&trainer);
  }

  static void ExpectSame(const Trained& a, const Trained& b) {
    EXPECT_EQ(a.params, b.params);
    EXPECT_EQ(a.metrics, b.metrics);
    EXPECT_EQ(a.test, b.test);
    EXPECT_FALSE(a.test.empty());
  }

  static void ExpectSameAsOnTheCpu(const JobProto& job) {
    ExpectSame(Train(job, true), Train(job, false));
  }

  EmulatedMachine machine_{1};
};

TEST_F(DeviceTrainer, AConvnetTrainsToTheBytesOfTheCpu) { ExpectSameAsOnTheCpu(Job(Convnet(""))); }

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

// kSplit, kSlice and kConcate; and a layer of the host between layers of the device.
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

TEST_F(DeviceTrainer, AResumedOneGoesOnAsIfItHadNotStopped) {
  JobProto job = Job(Convnet(""));
  job.add_gpu(0);
  CheckpointContent content;
  content.conf_sha256 = std::string(64, '0');
  Trainer first(job, 1);
  Begin(&first);
  for (int64_t step = 0; step < 7; ++step) first.TrainStep(step);
  TrainerState(&first).Save(&content);
  std::map<std::string, std::vector<float>> saved;
  for (const StoredTensor& tensor : content.params) {
    const auto* data = static_cast<const float*>(tensor.data);
    saved[tensor.name] = {data, data + tensor.shape.size()};
  }
  const Trained on_cpu = Train(Job(Convnet("")), false, 7);
  EXPECT_EQ(saved, on_cpu.params);
}

TEST_F(DeviceTrainer, AStepWithoutEffectLeavesTheValues) {
  const JobProto job =
      Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ", Params("fc"),
                 R"( innerproduct_conf { num_output: 4 } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data"
            softmaxloss_conf { scale: 1e38 } })"),
          "on_nonfinite: kSkip");
  ExpectSameAsOnTheCpu(job);
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
