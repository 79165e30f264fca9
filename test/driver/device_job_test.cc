// Whole jobs with workers on devices, in every topology of one process. The devices are emulated
// (support/emulated_gpu.h), so what comes out is what workers on the CPU give.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string>

#include "driver/job/progress.h"
#include "driver/job/run_job.h"
#include "io/checkpoint/safetensors.h"
#include "io/temp_dir.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"
#include "support/emulated_machine.h"

namespace singa::device_job {
namespace {

JobProto Job(const std::string& cluster, bool normalised = true) {
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

TEST_F(DeviceJob, OfOneWorkerIsThatOfTheCpu) { EXPECT_EQ(Train("", 1), Train("", 0)); }

TEST_F(DeviceJob, OfAGroupIsThatOfTheCpuHoweverManyGpusItHas) {
  const std::string group = "nworkers_per_group: 3 nworkers_per_procs: 3";
  const std::string on_cpu = Train(group, 0);
  EXPECT_EQ(Train(group, 2), on_cpu);  // the third on the CPU
  EXPECT_EQ(Train(group, 3), on_cpu);
}

constexpr char kGroup[] = "nworkers_per_group: 3 nworkers_per_procs: 3";

// Each of them applies the updates itself, and replays its steps.
TEST_F(DeviceJob, OfAGroupOfGpusAddsUpAmongThem) {
  for (const UpdaterType type : {kSGD, kAdam}) {
    SCOPED_TRACE(UpdaterType_Name(type));
    JobProto job = Job(kGroup, false);
    job.mutable_updater()->set_type(type);
    job.mutable_updater()->mutable_adam_conf()->set_beta1(0.9f);
    job.mutable_updater()->mutable_adam_conf()->set_beta2(0.999f);
    const std::string on_cpu = Train(job, 0);
    const int64_t before = EmulatedGpu::replays_of_all();
    EXPECT_EQ(Train(job, 3), on_cpu);
    EXPECT_EQ(EmulatedGpu::replays_of_all() - before, 3 * 10);
    Train(job, 3, false, 6);
    EXPECT_EQ(Train(job, 3, true), on_cpu);
  }
}

TEST_F(DeviceJob, OfAGroupOfGpusAddsUpPiecesOfAnySize) {
  JobProto job = Job(kGroup, false);
  const std::string on_cpu = Train(job, 0);
  job.mutable_cluster()->mutable_all_reduce()->set_fusion_elements(1);
  EXPECT_EQ(Train(job, 3), on_cpu);
}

// All scale their losses alike, and leave out the same steps.
TEST_F(DeviceJob, OfAGroupOfGpusInFloat16GoesOnWhereItEnded) {
  JobProto job = Job(kGroup, false);
  job.set_precision(JobProto::kFloat16);
  job.mutable_neuralnet()->mutable_layer(4)->mutable_softmaxloss_conf()->set_scale(1000);
  const std::string whole = Train(job, 3);
  Train(job, 3, false, 6);
  EXPECT_EQ(Train(job, 3, true), whole);
}

// Its sums over the group are among the work that is replayed.
TEST_F(DeviceJob, OfAGroupOfGpusWithBatchNormalisationIsCapturedToo) {
  for (const char* group : {"nworkers_per_group: 2 nworkers_per_procs: 2", kGroup}) {
    SCOPED_TRACE(group);
    const int workers = group == kGroup ? 3 : 2;
    const std::string on_cpu = Train(group, 0);
    const int64_t before = EmulatedGpu::replays_of_all();
    EXPECT_EQ(Train(group, workers), on_cpu);
    EXPECT_EQ(EmulatedGpu::replays_of_all() - before, workers * 10);
  }
}

// Its sums are the host's, which no capture allows.
TEST_F(DeviceJob, OfAGroupWhoseGpusCannotAddUpNormalisesThroughTheHost) {
  const std::string on_cpu = Train(kGroup, 0);
  machine_.SetGroups(false);
  EXPECT_EQ(Train(kGroup, 3), on_cpu);
}

TEST_F(DeviceJob, OfAGroupWhoseGpusCannotAddUpGoesThroughTheHost) {
  const JobProto job = Job(kGroup, false);
  const std::string on_cpu = Train(job, 0);
  machine_.SetGroups(false);
  const int64_t before = EmulatedGpu::replays_of_all();
  EXPECT_EQ(Train(job, 3), on_cpu);
  EXPECT_EQ(EmulatedGpu::replays_of_all(), before);
}

// What one worker finds drops the steps of all.
TEST_F(DeviceJob, OfAGroupOfGpusSkipsTheStepsOfTheCpu) {
  for (const bool normalised : {false, true}) {
    SCOPED_TRACE(normalised);
    JobProto job = Job(kGroup, normalised);
    job.set_on_nonfinite(JobProto::kSkip);
    LayerProto* const relu = job.mutable_neuralnet()->mutable_layer(normalised ? 3 : 2);
    relu->clear_type();
    relu->set_user_type("BadInTheSecondWorker");
    EXPECT_EQ(Train(job, 3), Train(job, 0));
  }
}

// The others do not wait for its sums, those of batch normalisation among them.
TEST_F(DeviceJob, OfAGroupOfGpusEndsWithTheFirstWorkerThatFails) {
  for (const bool normalised : {false, true}) {
    SCOPED_TRACE(normalised);
    JobProto job = Job(kGroup, normalised);
    LayerProto* const data = job.mutable_neuralnet()->mutable_layer(0);
    data->clear_type();
    data->clear_store_conf();
    data->set_user_type("EndsInTheThirdWorker");
    job.set_test_freq(0);
    EXPECT_THROW(Train(job, 3), DataError);
  }
}

// Copies; in the second worker infinities.
class BadInTheSecondWorker : public Layer {
 public:
  void Setup(const LayerProto& conf, Declare&, Inputs in, Outputs out) override {
    bad_ = conf.partition_id() == 1;
    out[0]->data.SetShape(in[0]->data.shape());
  }
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  Traits traits() const override { return {.on_device = true}; }
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    const int64_t n = in[0]->data.size();
    if (bad_ && (phase & kTrain))
      RunInOrder(ctx, [y = out[0]->data.data(), n](Context&) {
        std::fill_n(y, n, std::numeric_limits<float>::infinity());
      });
    else
      CopyFloats(ctx, in[0]->data.data(), out[0]->data.data(), n);
  }
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    CopyFloats(ctx, out[0]->grad.data(), in[0]->grad.data(), in[0]->grad.size());
  }

 private:
  bool bad_ = false;
};
SINGA_REGISTER_LAYER(BadInTheSecondWorker, BadInTheSecondWorker);

// Twelve rows of zeros; the third worker of the group has them for six steps.
class EndsInTheThirdWorker : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.is_input = true, .differentiable = false};
  }
  void Setup(const LayerProto& conf, Declare&, Inputs, Outputs out) override {
    third_ = conf.partition_id() == 2;
    out[0]->span = {.first = 4 * conf.partition_id(), .rows = 4, .batch = 12};
    out[0]->data.SetShape({4, 1, 6, 6});
    out[0]->label.SetShape({4}, DType::kI32);
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs out) override {
    std::fill_n(out[0]->data.data(), out[0]->data.size(), 0.f);
    std::fill_n(out[0]->label.as<int32_t>(), 4, 1);
    if (third_ && steps_++ == 6) throw DataError("rows", 6, "there are no more");
  }

 private:
  bool third_ = false;
  int steps_ = 0;
};
SINGA_REGISTER_LAYER(EndsInTheThirdWorker, EndsInTheThirdWorker);

TEST_F(DeviceJob, WithServersIsThatOfTheCpu) {
  const std::string served =
      "nworkers_per_group: 2 nworkers_per_procs: 2 nservers_per_group: 2 nservers_per_procs: 2 "
      "share_memory: false";
  EXPECT_EQ(Train(served, 2), Train(served, 0));
}

TEST_F(DeviceJob, OfAsynchronousGroupsAppliesEachStepOfEach) {
  Train("nworker_groups: 2 nworkers_per_group: 1 nworkers_per_procs: 2", 2);
  const std::string file = dir_.Path("ws2/checkpoint/step12/state.safetensors");
  const std::string bytes = Bytes(file);
  const Safetensors state(std::as_bytes(std::span(bytes)), file);
  EXPECT_EQ(state.Values<int64_t>("updater/w/count", Shape())[0], 24);
}

TEST_F(DeviceJob, GoesOnWhereItEnded) {
  const std::string whole = Train("", 0);
  Train("", 1, false, 6);
  EXPECT_EQ(Train("", 1, true), whole);
}

TEST_F(DeviceJob, WhoseDeviceIsLostGoesOnFromItsCheckpoint) {
  const std::string whole = Train("", 0);
  const int64_t before = EmulatedGpu::works_of_all();
  Train("", 1);
  machine_.LoseAfter((EmulatedGpu::works_of_all() - before) * 3 / 4);
  EXPECT_THROW(Train("", 1), DeviceError);
  EXPECT_TRUE(std::filesystem::exists(dir_.Path("ws1/checkpoint/step6")));
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("ws1/checkpoint/step12")));
  machine_.LoseAfter(1 << 30);
  EXPECT_EQ(Train("", 1, true), whole);
}

TEST_F(DeviceJob, IsTestedOnTheDeviceToTheNumbersOfTheCpu) {
  Train("", 1);
  nlohmann::json rows[2];
  for (const bool on_device : {false, true}) {
    JobProto job = Job("");
    if (on_device) job.add_gpu(0);
    job.mutable_cluster()->set_workspace(dir_.Path(StrCat("test", on_device)));
    job.add_checkpoint_path(dir_.Path("ws1/checkpoint/step12/model.safetensors"));
    RunOptions options;
    options.threads = 1;
    Progress progress;
    EXPECT_EQ(TestJob(job, options, &progress), kExitOk);
    rows[on_device] = nlohmann::json::parse(
        Bytes(dir_.Path(StrCat("test", on_device, "/metrics.jsonl"))));  // of one row
    rows[on_device].erase("time");
  }
  EXPECT_EQ(rows[1], rows[0]);
  EXPECT_TRUE(rows[0].contains("loss")) << rows[0];
}

// Names what took it, and how much is there.
TEST_F(DeviceJob, ThatNeedsMoreMemoryThanThereIsSaysForWhat) {
  const EmulatedMachine small(1, 1 << 20);
  JobProto job = Job("");
  job.mutable_neuralnet()->mutable_layer(0)->mutable_store_conf()->set_batchsize(0, 1200);
  try {
    Train(job, 1);
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    const std::string begin = "features and gradients, most of them for layer \"conv\" (2 MiB): ";
    EXPECT_EQ(text.rfind(begin, 0), 0) << text;
    EXPECT_NE(text.find(" bytes are wanted, "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace singa::device_job
