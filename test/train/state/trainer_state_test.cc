// Tests that a resume refuses a checkpoint whose numbers make no sense, although its checksums fit.
#include "train/state/trainer_state.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "support/trainer_checkpoint.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

JobProto PointsJob(const std::string& path) {
  JobProto job;
  const std::string text = StrCat(R"(
    train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kCSVInput store_conf { path: ")",
                                  path, R"(" batchsize: 2 shape: 3 } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 2 }
              param { name: "w" init { type: kUniform } } param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    })");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

class TrainerStateTest : public ::testing::Test {
 protected:
  TrainerStateTest() : trainer_(PointsJob(dir_.Write("points.csv", "0,1,2,3\n1,3,2,1\n")), 1) {
    trainer_.Allocate();
    InitParams(trainer_.model().ctx(), {}, &trainer_.model().params());
    for (int64_t step = 0; step < 3; ++step) trainer_.TrainStep(step);
  }

  // Returns a committed checkpoint. The number `name`, if not "", is `value`.
  std::unique_ptr<Checkpoint> Checkpointed(const std::string& name, int64_t value) {
    return CheckpointOf(TrainerState(&trainer_), 3, dir_.Path("ws"), [&](StoredTensor* tensor) {
      if (tensor->name == name) tensor->data = &value;
    });
  }

  TempDir dir_;
  Trainer trainer_;
};

TEST_F(TrainerStateTest, ComesBack) {
  const auto checkpoint = Checkpointed("", 0);
  trainer_.TrainStep(3);
  TrainerState(&trainer_).Restore(*checkpoint);
  EXPECT_EQ(trainer_.model().readers().positions()[0].second, 6);
  EXPECT_EQ(trainer_.replica().count(0), 3);
}

TEST_F(TrainerStateTest, NumbersOutOfRangeAreDamage) {
  for (const char* name : {"reader/data", "updater/w/count", "train/skipped"})
    for (const int64_t value : {int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
      const auto checkpoint = Checkpointed(name, value);
      EXPECT_THROW(TrainerState(&trainer_).Restore(*checkpoint), DataError) << name << value;
    }
}

// The skip works like training: the next step has the same loss, with values that do not change.
TEST_F(TrainerStateTest, SkippedBatchesAreThoseOfTheSteps) {
  std::string points;
  for (int i = 0; i < 7; ++i) points += StrCat(i % 2, ",", i, ",", 3 * i % 5, ",", i * i % 7, "\n");
  JobProto job = PointsJob(dir_.Write("more.csv", points));
  job.mutable_updater()->mutable_learning_rate()->set_base_lr(1e-30f);
  const auto loss_of_step_9 = [&](int64_t trained) {
    Trainer trainer(job, 1);
    trainer.Allocate();
    InitParams(trainer.model().ctx(), {}, &trainer.model().params());
    for (int64_t step = 0; step < trained; ++step) trainer.TrainStep(step);
    EXPECT_TRUE(trainer.model().readers().Skip(9 - trained));
    trainer.metrics().Reset();
    trainer.TrainStep(9);
    EXPECT_EQ(trainer.model().readers().positions()[0].second, 20) << trained;
    return trainer.metrics().entries().at(0).sum;
  };
  const double loss = loss_of_step_9(9);
  for (int64_t trained = 0; trained < 9; ++trained) EXPECT_EQ(loss_of_step_9(trained), loss);
}

}  // namespace
}  // namespace singa
