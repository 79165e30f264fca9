// Tests how a worker trains: its steps, its metrics, its files, and where its updates happen.
#include "train/trainer/trainer.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "support/device_training.h"

namespace singa::trainer_test {
namespace {

using device_trainer::Job;
using device_trainer::kData;
using device_trainer::Params;

JobProto LinearJob(const std::string& more = "", const std::string& layers = "") {
  return Job(
      StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ", Params("fc"),
             "innerproduct_conf { num_output: 4 } }",
             "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'fc' srclayers: 'data' }", layers),
      more);
}

class TrainerTest : public device_trainer::DeviceTrainer {
 protected:
  static std::vector<float> Weights(Trainer* trainer) {
    const Tensor& data = trainer->model().params().Find("fcw")->host();
    return {data.data(), data.data() + data.size()};
  }
};

// CountedExchange hands on what it is given, and counts.
class CountedExchange final : public ParamExchange {
 public:
  explicit CountedExchange(ParamExchange* to) : to_(*to) {}
  void Await(Param* param, int64_t step) override { to_.Await(param, step); }
  void GradientReady(Param* param, int64_t step) override {
    ++gradients;
    to_.GradientReady(param, step);
  }
  bool sees_losses() const override { return to_.sees_losses(); }
  bool may_drop_steps() const override { return to_.may_drop_steps(); }
  void LossNotFinite(const std::string& layer, int64_t step) override {
    to_.LossNotFinite(layer, step);
  }
  void Finish(int64_t step) override {
    ++finished;
    to_.Finish(step);
  }
  int gradients = 0, finished = 0;

 private:
  ParamExchange& to_;
};

TEST_F(TrainerTest, AStepChangesTheValuesAndAddsToTheMetrics) {
  Trainer trainer(LinearJob(), 1);
  Begin(&trainer);
  const std::vector<float> before = Weights(&trainer);
  trainer.TrainStep(0);
  EXPECT_NE(Weights(&trainer), before);
  EXPECT_EQ(trainer.metrics().entries()[0].weight, 6);  // rows of a batch
  trainer.TrainStep(1);
  EXPECT_EQ(trainer.metrics().entries()[0].weight, 12);
  trainer.metrics().Reset();
  EXPECT_EQ(trainer.metrics().entries()[0].weight, 0);
  EXPECT_EQ(trainer.replica().count(0), 2);
}

TEST_F(TrainerTest, AStepMayGoThroughAnotherExchange) {
  Trainer trainer(LinearJob(), 1), other(LinearJob(), 1);
  Begin(&trainer);
  Begin(&other);
  CountedExchange counted(&trainer.path().exchange());
  for (int64_t step = 0; step < 3; ++step) {
    trainer.TrainStep(step, &counted);
    other.TrainStep(step);
  }
  EXPECT_EQ(counted.gradients, 3 * 2);
  EXPECT_EQ(counted.finished, 3);
  EXPECT_EQ(Weights(&trainer), Weights(&other));
}

TEST_F(TrainerTest, AStepOfSeveralBatchesHandsOnTheirMeanOnce) {
  Trainer trainer(LinearJob("accumulate_steps: 3"), 1);
  Begin(&trainer);
  CountedExchange counted(&trainer.path().exchange());
  trainer.TrainStep(0, &counted);
  trainer.TrainStep(1, &counted);
  EXPECT_EQ(counted.gradients, 2 * 2);
  EXPECT_EQ(counted.finished, 2);
  EXPECT_EQ(trainer.metrics().entries()[0].weight, 2 * 3 * 6);  // rows of all batches
  EXPECT_EQ(trainer.model().samples_per_step(), 18);

  JobProto large = LinearJob();
  large.mutable_neuralnet()->mutable_layer(0)->mutable_store_conf()->set_batchsize(0, 18);
  Trainer other(large, 1);
  Begin(&other);
  other.TrainStep(0);
  other.TrainStep(1);
  const std::vector<float> once = Weights(&other), thrice = Weights(&trainer);
  for (size_t i = 0; i < once.size(); ++i) EXPECT_NEAR(thrice[i], once[i], 1e-6) << i;
}

TEST_F(TrainerTest, ANetOfFrozenParamsComputesAllBatchesOfAStep) {
  JobProto job = LinearJob("accumulate_steps: 3");
  for (ParamProto& param : *job.mutable_neuralnet()->mutable_layer(1)->mutable_param())
    param.set_lr_scale(0);
  Trainer trainer(job, 1);
  Begin(&trainer);
  trainer.TrainStep(0);
  EXPECT_EQ(trainer.metrics().entries()[0].weight, 3 * 6);
}

TEST_F(TrainerTest, EachBatchOfAStepHasItsOwnRandomNumbers) {
  StepState state = {.step = 5, .batch = 1, .batches = 3};
  EXPECT_EQ(state.batches_before(), 16);
  EXPECT_EQ(InStep(Philox{1, 2, 0}, &state).step, 16u);
  Context ctx;
  ctx.state = &state;
  EXPECT_EQ(ctx.Random("drop").step, 16u);
}

TEST_F(TrainerTest, ItsMarkNamesTheStep) {
  Trainer trainer(LinearJob(), 1);
  Begin(&trainer);
  trainer.TrainStep(7);
  EXPECT_EQ(trainer.model().mark().step(), 7);
}

TEST_F(TrainerTest, FinishEndsTheFilesOfOutputLayers) {
  const TempDir dir;
  const std::string path = dir.Path("scores.csv");
  const std::string layer = StrCat(
      "layer { name: 'out' type: kCSVOutput srclayers: 'fc' store_conf { path: '", path, "' } }");
  Trainer trainer(LinearJob("", layer), 1);
  Begin(&trainer);
  trainer.TrainStep(0);
  EXPECT_EQ(TempDir::Read(path), "") << "a file appears when it is whole";
  trainer.Finish();
  const std::string text = TempDir::Read(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

TEST_F(TrainerTest, LeavesAGroupThatItNeverJoined) {
  Trainer trainer(LinearJob(), 1);
  EXPECT_NO_THROW(trainer.LeaveGroup());
}

// The job's one worker could update on its device. Workers in other places cannot.
TEST_F(TrainerTest, SaysWhyAWorkerOfAGroupLeavesUpdatesToTheHost) {
  const JobProto job = LinearJob();
  Replica replica(job);
  ReplicaUpdates updates(job, &replica);
  const auto why = [&](const WorkerPlace& place) {
    return Trainer(job, place, &replica, &updates).why_host_updates();
  };
  EXPECT_EQ(why({.gpu = 0}), "");
  EXPECT_EQ(why({}), "a worker has no GPU");
  EXPECT_EQ(why({.groups = 2, .gpu = 0}), "the job has several worker groups");
  EXPECT_EQ(why({.workers = 2, .gpu = 0}), "the group's GPUs do not add up the gradients");
}

TEST_F(TrainerTest, ScalesLossesInFloat16Alone) {
  JobProto job = LinearJob();
  job.set_precision(JobProto::kFloat16);
  job.add_gpu(0);
  Trainer trainer(job, 1);
  ASSERT_NE(trainer.loss_scale(), nullptr);
  EXPECT_TRUE(trainer.model().ctx().scales_losses);
  job.set_precision(JobProto::kBFloat16);
  EXPECT_EQ(Trainer(job, 1).loss_scale(), nullptr);
}

}  // namespace
}  // namespace singa::trainer_test
