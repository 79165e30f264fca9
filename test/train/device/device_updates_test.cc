// Tests a worker that trains alone on a device. The device makes the updates, and replays captured
// work from the third step on, to the bytes of the CPU. The device is emulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "singa/base/error.h"
#include "singa/tensor/memory.h"
#include "singa/tensor/stream.h"
#include "support/copying_layer.h"
#include "support/device_training.h"

namespace singa::device_trainer {
namespace {

class DeviceUpdatesTest : public DeviceTrainer {};

std::string Classifier(const std::string& loss, const std::string& between = "") {
  return StrCat(kData, between, "layer { name: 'fc' type: kInnerProduct srclayers: '",
                between.empty() ? "data" : "between", "' ", Params("fc"), R"(
      innerproduct_conf { num_output: 4 } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" softmaxloss_conf { )",
                loss, " } }");
}

TEST_F(DeviceUpdatesTest, OfEachRuleAreReplayed) {
  for (const UpdaterType type :
       {kSGD, kAdaGrad, kRMSProp, kNesterov, kAdaDelta, kAdam, kAdamMax, kAdamW}) {
    SCOPED_TRACE(UpdaterType_Name(type));
    JobProto job = Job(Classifier(""));
    job.mutable_updater()->set_type(type);
    job.mutable_updater()->mutable_rmsprop_conf()->set_rho(0.9f);
    job.mutable_updater()->mutable_adadelta_conf()->set_rho(0.9f);
    job.mutable_updater()->mutable_adam_conf()->set_beta1(0.9f);
    job.mutable_updater()->mutable_adam_conf()->set_beta2(0.999f);
    job.mutable_updater()->mutable_adammax_conf()->set_beta1(0.9f);
    job.mutable_updater()->mutable_adammax_conf()->set_beta2(0.999f);
    ExpectReplayed(job);
  }
}

TEST_F(DeviceUpdatesTest, FollowALearningRateThatChanges) {
  JobProto job = Job(Classifier(""));
  LRGenProto* const rate = job.mutable_updater()->mutable_learning_rate();
  rate->set_type(kLinear);
  rate->mutable_linear_conf()->set_change_freq(12);
  rate->mutable_linear_conf()->set_final_lr(0.001f);
  ExpectReplayed(job);
}

TEST_F(DeviceUpdatesTest, AreBoundByTheNormOfAllGradients) {
  JobProto job = Job(Convnet(""));
  job.mutable_updater()->set_clip_norm(0.1f);
  ExpectReplayed(job);
}

TEST_F(DeviceUpdatesTest, OfBatchNormalisationKeepItsRunningMoments) {
  ExpectReplayed(Job(Convnet("layer { name: 'bm' type: kBM srclayers: 'lrn' }")));
}

TEST_F(DeviceUpdatesTest, OfARecurrentNetCarryItsState) {
  ExpectReplayed(Job(R"(
    layer { name: "data" type: kRecordInput unroll_len: 3 store_conf { backend: "synthetic"
            batchsize: 5 shape: 6 std_value: 255 synthetic_conf { records: 40 classes: 4 } } }
    layer { name: "gru" type: kGRU srclayers: "data" unroll_len: 3 gru_conf { dim_hidden: 7 carry_state: true } )" +
                     [] {
                       std::string params;
                       for (int i = 0; i < 9; ++i)
                         params += StrCat("param { name: 'g", i,
                                          "' init { type: kUniform low: -0.1 high: 0.1 } } ");
                       return params;
                     }() +
                     R"(}
    layer { name: "fc" type: kInnerProduct srclayers: "gru" unroll_len: 3
            innerproduct_conf { num_output: 4 } )" +
                     Params("fc") + R"( }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" unroll_len: 3 })"));
}

TEST_F(DeviceUpdatesTest, OfContrastiveDivergenceAreReplayed) {
  JobProto job = Job(R"(
    layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 6
            shape: 12 std_value: 255 synthetic_conf { records: 40 classes: 4 } } }
    layer { name: "vis" type: kRBMVis srclayers: "data" srclayers: "hid"
            param { name: "w" init { type: kGaussian std: 0.1 } }
            param { name: "bv" init { type: kConstant } }
            rbm_conf { hdim: 5 persistent: true } }
    layer { name: "hid" type: kRBMHid srclayers: "vis" param { name: "w2" share_from: "w" }
            param { name: "bh" init { type: kConstant } } rbm_conf { hdim: 5 } })");
  job.mutable_train_one_batch()->set_alg(kCD);
  job.mutable_train_one_batch()->mutable_cd_conf()->set_cd_k(2);
  ExpectReplayed(job);
}

// Returns a job that diverges in its second step.
JobProto Diverging(const std::string& more = "") {
  JobProto job = Job(Classifier(""), more);
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(1e38f);
  return job;
}

TEST_F(DeviceUpdatesTest, SkipAStepThatIsNotFinite) {
  JobProto skips = Diverging("on_nonfinite: kSkip");
  const Trained device = Train(skips, true), cpu = Train(skips, false);
  EXPECT_EQ(device.params, cpu.params);
  EXPECT_EQ(device.metrics, cpu.metrics);
  EXPECT_EQ(device.replays, 10);
  for (const bool on_device : {false, true}) {
    JobProto job = Diverging("on_nonfinite: kSkip");
    if (on_device) job.add_gpu(0);
    Trainer trainer(job, 1);
    Begin(&trainer);
    for (int64_t step = 0; step < 5; ++step) trainer.TrainStep(step);
    trainer.path().Download();
    EXPECT_EQ(trainer.updates().skips(), 4);
    EXPECT_EQ(trainer.replica().count(0), 1);
    EXPECT_EQ(trainer.metrics().entries()[0].weight, 6);  // the rows of one batch
  }
}

// Adam's rule counts updates. Steps without effect do not count.
TEST_F(DeviceUpdatesTest, CountTheStepsThatWereTaken) {
  JobProto job = Job(StrCat(kData, R"(
    layer { name: "some" user_type: "SometimesInfinite" srclayers: "data" }
    layer { name: "fc" type: kInnerProduct srclayers: "some" innerproduct_conf { num_output: 4 } )",
                            Params("fc"), R"( }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" })"),
                     "on_nonfinite: kSkip");
  job.mutable_updater()->set_type(kAdam);
  job.mutable_updater()->mutable_adam_conf()->set_beta1(0.9f);
  job.mutable_updater()->mutable_adam_conf()->set_beta2(0.999f);
  const Trained device = Train(job, true), cpu = Train(job, false);
  EXPECT_EQ(device.params, cpu.params);
  EXPECT_EQ(device.metrics, cpu.metrics);
  EXPECT_EQ(device.replays, 10);
  EXPECT_NE(device.params, Train(job, true, 3).params);
}

// The values are those before the bad step, although later steps were under way.
TEST_F(DeviceUpdatesTest, EndWithTheFirstStepThatIsNotFinite) {
  std::string texts[2];
  for (const bool on_device : {false, true}) {
    JobProto job = Diverging();
    if (on_device) job.add_gpu(0);
    Trainer trainer(job, 1);
    Begin(&trainer);
    try {
      for (int64_t step = 0; step < 5; ++step) trainer.TrainStep(step);
      FAIL() << "no error";
    } catch (const DivergedError& error) {
      texts[on_device] = error.what();
    }
    if (!on_device) continue;
    const Tensor w = OnHost(trainer.model().ctx(), trainer.model().trained().params[0]->data);
    EXPECT_EQ(std::vector<float>(w.data(), w.data() + w.size()),
              Train(Diverging(), false, 1).params.at(trainer.model().trained().params[0]->name()));
  }
  EXPECT_EQ(texts[1], texts[0]);
  EXPECT_EQ(texts[1], "step 1: the loss of layer \"loss\" is not finite");
}

// Only a gradient is not finite, while the loss is finite.
TEST_F(DeviceUpdatesTest, NameTheParamWhoseGradientIsNotFinite) {
  JobProto job = Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ",
                            Params("fc"), R"( innerproduct_conf { num_output: 4 } }
    layer { name: "huge" user_type: "HugeGradient" srclayers: "fc" }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "huge" srclayers: "data" })"));
  job.add_gpu(0);
  Trainer trainer(job, 1);
  Begin(&trainer);
  const auto train = [&] {
    for (int64_t step = 0; step < 5; ++step) trainer.TrainStep(step);
  };
  try {
    train();
    FAIL() << "no error";
  } catch (const DivergedError& error) {
    EXPECT_STREQ(error.what(),
                 "step 0: the gradient of param \"fcb\" of layer \"fc\" is not finite");
  }
}

TEST_F(DeviceUpdatesTest, WhoseLayersWaitAreHandedOutPieceByPiece) {
  const JobProto job = Job(Classifier("", R"(
      layer { name: "between" user_type: "Waits" srclayers: "data" })"));
  const Trained on_device = Train(job, true);
  ExpectSame(on_device, Train(job, false));
  EXPECT_EQ(on_device.replays, 0);
}

TEST_F(DeviceUpdatesTest, TakeMemoryOfTheGpuAndAsMuchOfTheHostForCheckpoints) {
  JobProto job = Job(Convnet(""));
  const JobMemory cpu = Trainer(job, 1).memory();
  job.add_gpu(0);
  const JobMemory gpu = Trainer(job, 1).memory();
  EXPECT_EQ(cpu.gpus.total(), 0);
  EXPECT_EQ(gpu.gpus.params, cpu.host.params);
  EXPECT_EQ(gpu.gpus.gradients, gpu.gpus.params);
  EXPECT_EQ(gpu.gpus.updater, cpu.host.updater);
  EXPECT_GT(gpu.gpus.arena, 0);
  EXPECT_EQ(gpu.host.params, cpu.host.params);
  EXPECT_EQ(gpu.host.updater, cpu.host.updater);
  EXPECT_EQ(gpu.host.gradients, 0);
  EXPECT_EQ(gpu.host.arena, 0);
  EXPECT_GT(gpu.host.pinned, 0);
  EXPECT_GT(gpu.host.forever, 0);                 // batches read ahead
  const int64_t batch = 6 * (3 * 8 * 8 + 1) * 4;  // under way, in either phase
  EXPECT_EQ(gpu.host.forever + gpu.gpus.forever,
            cpu.host.forever + 2 * batch + EmulatedStream::kWorkspaceBytes);
}

TEST_F(DeviceUpdatesTest, GoOnFromValuesThatTheHostSets) {
  Trained trained[2];
  for (const bool on_device : {false, true}) {
    JobProto job = Job(Classifier(""));
    if (on_device) job.add_gpu(0);
    Trainer trainer(job, 1);
    Begin(&trainer);
    for (int64_t step = 0; step < 4; ++step) trainer.TrainStep(step);
    trainer.path().Download();
    for (const auto& param : trainer.model().params().params())
      for (int64_t i = 0; i < param->size(); ++i) param->host().data()[i] *= 0.5f;
    for (UpdaterState& state : trainer.replica().states())
      for (Tensor& tensor : state.tensors) std::fill_n(tensor.data(), tensor.size(), 0.f);
    trainer.path().MarkDeviceStale();
    for (int64_t step = 4; step < 9; ++step) trainer.TrainStep(step);
    trained[on_device] = Result(&trainer);
  }
  ExpectSame(trained[1], trained[0]);
}

// SometimesInfinite copies on the host, and makes infinities every third time.
class SometimesInfinite : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase phase, Inputs in, Outputs out) override {
    const float* const x = in[0]->data.data();
    const bool infinite = (phase & kTrain) && calls_++ % 3 == 2;
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      out[0]->data.data()[i] = infinite ? std::numeric_limits<float>::infinity() : x[i];
  }
  void ComputeGradient(Context&, Inputs, Outputs) override {}

 private:
  int64_t calls_ = 0;
};
SINGA_REGISTER_LAYER(SometimesInfinite, SometimesInfinite);

// HugeGradient copies its input. Its gradient is infinite.
class HugeGradient : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
    infinities_ = declare.Buffer(in[0]->data.shape(), Keep::kForever, DType::kF32, "infinities");
  }
  Traits traits() const override { return {.on_device = true}; }
  void Open(Context& ctx) override {
    const std::vector<float> values(infinities_->size(), std::numeric_limits<float>::infinity());
    CopyFromHost(ctx, values.data(), infinities_->data(), infinities_->bytes());
  }
  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    CopyFloats(ctx, in[0]->data.data(), out[0]->data.data(), in[0]->data.size());
  }
  void ComputeGradient(Context& ctx, Inputs in, Outputs) override {
    CopyFloats(ctx, infinities_->data(), in[0]->grad.data(), in[0]->grad.size());
  }

 private:
  Tensor* infinities_ = nullptr;
};
SINGA_REGISTER_LAYER(HugeGradient, HugeGradient);

// Waits copies its input, and waits for the copy.
class Waits final : public CopyingLayer {
 public:
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    CopyingLayer::ComputeFeature(ctx, phase, in, out);
    if (ctx.stream) ctx.stream->Wait();
  }
};
SINGA_REGISTER_LAYER(Waits, Waits);

}  // namespace
}  // namespace singa::device_trainer
