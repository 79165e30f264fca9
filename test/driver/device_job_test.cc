// Whole jobs with workers on devices, in every topology of one process. The devices are emulated
// (support/emulated_gpu.h), so what comes out is what workers on the CPU give.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "driver/job/progress.h"
#include "driver/job/run_job.h"
#include "io/temp_dir.h"
#include "support/emulated_machine.h"

namespace singa::device_job {
namespace {

JobProto Job(const std::string& cluster) {
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
      layer { name: "bm" type: kBM srclayers: "conv" }
      layer { name: "relu" type: kReLU srclayers: "bm" }
      layer { name: "fc" type: kInnerProduct srclayers: "relu" innerproduct_conf { num_output: 3 }
              param { name: "w" init { type: kUniform low: -0.2 high: 0.2 } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    } cluster { )",
             cluster, " }"),
      &job));
  return job;
}

std::string Bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in.good()) << file;
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

class DeviceJob : public ::testing::Test {
 protected:
  // Trains with so many GPUs; returns the values and the updater's states after the last step.
  std::string Train(const std::string& cluster, int gpus, bool resume = false, int steps = 12) {
    JobProto job = Job(cluster);
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

TEST_F(DeviceJob, OfOneWorkerIsThatOfTheCpu) { EXPECT_EQ(Train("", 1), Train("", 0)); }

TEST_F(DeviceJob, OfAGroupIsThatOfTheCpuHoweverManyGpusItHas) {
  const std::string group = "nworkers_per_group: 3 nworkers_per_procs: 3";
  const std::string on_cpu = Train(group, 0);
  EXPECT_EQ(Train(group, 2), on_cpu);  // the third on the CPU
  EXPECT_EQ(Train(group, 3), on_cpu);
}

TEST_F(DeviceJob, WithServersIsThatOfTheCpu) {
  const std::string served =
      "nworkers_per_group: 2 nworkers_per_procs: 2 nservers_per_group: 2 nservers_per_procs: 2 "
      "share_memory: false";
  EXPECT_EQ(Train(served, 2), Train(served, 0));
}

TEST_F(DeviceJob, OfAsynchronousGroupsTrains) {
  Train("nworker_groups: 2 nworkers_per_group: 1 nworkers_per_procs: 2", 2);
}

TEST_F(DeviceJob, GoesOnWhereItEnded) {
  const std::string whole = Train("", 0);
  Train("", 1, false, 6);
  EXPECT_EQ(Train("", 1, true), whole);
}

}  // namespace
}  // namespace singa::device_job
