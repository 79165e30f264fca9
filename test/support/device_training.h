// DeviceTrainer runs trainers on an emulated device (support/emulated_gpu.h), and compares the
// values that they reach.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/emulated_machine.h"
#include "train/state/init_params.h"
#include "train/trainer/trainer.h"

namespace singa::device_trainer {

inline constexpr char kData[] = R"(
  layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 6
          shape: 3 shape: 8 shape: 8 std_value: 255 synthetic_conf { records: 40 classes: 4 } } })";

inline std::string Params(const std::string& layer) {
  return StrCat("param { name: '", layer,
                "w' init { type: kUniform low: -0.1 high: 0.1 } } param { name: '", layer,
                "b' init { type: kConstant } wd_scale: 0 }");
}

inline std::string Convnet(const std::string& between) {
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

inline JobProto Job(const std::string& net, const std::string& more = "") {
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
  int64_t replays = 0;  // steps that the device replayed
};

class DeviceTrainer : public ::testing::Test {
 protected:
  static void Begin(Trainer* trainer) {
    trainer->Allocate();
    InitParams(trainer->model().ctx(), {}, &trainer->model().params());
    trainer->path().MarkDeviceStale();
  }

  static Trained Result(Trainer* trainer) {
    Trained trained;
    if (Stream* const stream = trainer->model().ctx().stream)
      trained.replays = static_cast<EmulatedGpu&>(stream->gpu()).replays();
    trainer->path().Download();
    for (const auto& param : trainer->model().params().params()) {
      const Tensor& values = param->host();
      trained.params[param->name()] = {values.data(), values.data() + values.size()};
    }
    for (const auto& entry : trainer->metrics().entries()) trained.metrics.push_back(entry.sum);
    trainer->path().Upload();
    const auto sums = trainer->model().evaluator(kTest)->Run(0, [] { return false; });
    for (const auto& entry : sums->entries()) trained.test.push_back(entry.value());
    return trained;
  }

  static Trained Train(JobProto job, bool on_device, int steps = 12) {
    if (on_device) job.add_gpu(0);
    Trainer trainer(job, 1);
    EXPECT_EQ(trainer.model().ctx().stream != nullptr, on_device);
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
  // Expects the same values on the device and on the CPU, and that the device replays all steps but
  // the first two.
  static void ExpectReplayed(const JobProto& job) {
    const Trained on_device = Train(job, true);
    ExpectSame(on_device, Train(job, false));
    EXPECT_EQ(on_device.replays, 10);
  }

  EmulatedMachine machine_{1};
};

}  // namespace singa::device_trainer
