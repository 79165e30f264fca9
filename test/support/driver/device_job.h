// DeviceJob runs whole jobs of one process with workers on emulated devices
// (support/emulated_gpu.h).
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "driver/job/run_job.h"
#include "driver/workspace/progress.h"
#include "io/temp_dir.h"
#include "support/emulated_machine.h"

namespace singa::device_job {

inline JobProto Job(const std::string& cluster, bool normalised = true) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat(R"(name: "devices" train_steps: 12 test_freq: 5 test_steps: 0 checkpoint_freq: 6
    train_one_batch { alg: kBP }
    updater { type: kSGD momentum: 0.9 learning_rate { type: kFixed base_lr: 0.05 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 12
              shape: 1 shape: 6 shape: 6 std_value: 255 synthetic_conf { records: 50 classes: 3 } } }
      layer { name: "conv" type: kConvolution srclayers: "data"
              convolution_conf { num_filters: 4 kernel: 3 }
              param { name: "cw" init { type: kUniform low: -0.2 high: 0.2 } }
              param { name: "cb" init { type: kConstant } } }
      )",
             normalised ? R"(layer { name: "bm" type: kBM srclayers: "conv" })" : "", R"(
      layer { name: "relu" type: kReLU srclayers: ")",
             normalised ? "bm" : "conv", R"(" }
      layer { name: "fc" type: kInnerProduct srclayers: "relu" innerproduct_conf { num_output: 3 }
              param { name: "w" init { type: kUniform low: -0.2 high: 0.2 } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    } cluster { )",
             cluster, " }"),
      &job));
  return job;
}

inline std::string Bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in.good()) << file;
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

class DeviceJob : public ::testing::Test {
 protected:
  // Trains on `gpus` GPUs. Returns the values and the updater's states after the last step.
  std::string Train(const std::string& cluster, int gpus, bool resume = false, int steps = 12) {
    return Train(Job(cluster), gpus, resume, steps);
  }
  std::string Train(JobProto job, int gpus, bool resume = false, int steps = 12) {
    for (int i = 0; i < gpus; ++i) job.add_gpu(i);
    job.set_train_steps(steps);
    const std::string workspace = dir_.Path(StrCat("ws", gpus));
    job.mutable_cluster()->set_workspace(workspace);
    RunOptions options;
    options.threads = 1;
    options.resume = resume;
    Progress progress;
    EXPECT_EQ(TrainJob(job, options, &progress), kExitOk);
    const std::string checkpoint = StrCat(workspace, "/checkpoint/step", steps, "/");
    return Bytes(checkpoint + "model.safetensors") + Bytes(checkpoint + "state.safetensors");
  }

  EmulatedMachine machine_{4};
  TempDir dir_;
};

}  // namespace singa::device_job
