// Tests the state that a recurrent layer carries from batch to batch: its origin, and its reach.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "support/trainer_checkpoint.h"
#include "train/state/init_params.h"
#include "train/state/trainer_state.h"
#include "train/trainer/forwarder.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

JobProto RnnJob(const std::string& path) {
  JobProto job;
  const std::string text = StrCat(R"(
    train_steps: 10 test_freq: 1 test_steps: 2 train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kCSVInput store_conf { path: ")",
                                  path, R"(" batchsize: 2 shape: 3 } }
      layer { name: "rnn" type: kRNN srclayers: "data" rnn_conf { dim_hidden: 4 carry_state: true }
              param { name: "w" init { type: kUniform } } param { name: "u" init { type: kUniform } }
              param { name: "b" init { type: kUniform } } }
      layer { name: "fc" type: kInnerProduct srclayers: "rnn" innerproduct_conf { num_output: 2 }
              param { name: "w2" init { type: kUniform } } param { name: "b2" init { type: kUniform } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    })");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

class CarriedState : public ::testing::Test {
 protected:
  CarriedState()
      : job_(RnnJob(dir_.Write("points.csv", "0,1,2,3\n1,3,2,1\n0,1,0,1\n1,2,2,2\n"))),
        trainer_(job_, 1) {
    trainer_.Allocate();
    InitParams(trainer_.model().ctx(), {}, &trainer_.model().params());
    for (int64_t step = 0; step < 3; ++step) trainer_.TrainStep(step);
  }

  double TestLoss() {
    const auto sums = trainer_.model().evaluator(kTest)->Run(2, [] { return false; });
    return sums->entries()[0].sum;
  }
  std::vector<float> State() {
    const Tensor& state = trainer_.model().net().Find("rnn")->declared().buffers[1].tensor;
    return {state.data(), state.data() + state.size()};
  }

  TempDir dir_;
  JobProto job_;
  Trainer trainer_;
};

TEST_F(CarriedState, DoesNotReachIntoATest) {
  const double first = TestLoss();
  EXPECT_EQ(TestLoss(), first);
  const std::vector<float> state = State();
  TestLoss();
  EXPECT_EQ(State(), state);  // the tests left the state alone
}

TEST_F(CarriedState, IsInACheckpoint) {
  const auto checkpoint = CheckpointOf(TrainerState(&trainer_), 3, dir_.Path("ws"));
  const std::vector<float> state = State();
  trainer_.TrainStep(3);
  EXPECT_NE(State(), state);
  TrainerState(&trainer_).Restore(*checkpoint);
  EXPECT_EQ(State(), state);
}

TEST_F(CarriedState, DoesNotReachFromOneCallOfATrainedNetIntoTheNext) {
  Forwarder net(job_, {.max_batch = 2});
  net.Open(trainer_.model().params());
  const std::vector<float> rows = {1, 2, 3, 3, 2, 1};
  std::vector<float> first(4), second(4);
  net.Run(rows.data(), 2, first.data());
  net.Run(rows.data(), 2, second.data());
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace singa
