// Tests that a net learns which character follows which, under kBPTT.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "train/state/init_params.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

class TextNet : public ::testing::Test {
 protected:
  TextNet() {
    std::string text;
    for (int i = 0; i < 101; ++i) text += "ab\ncd";
    text_ = dir_.Write("text", text);
    vocabulary_ = dir_.Write("vocabulary", "dcb\na");
  }

  JobProto Job(const std::string& in, const std::string& more = "") const {
    JobProto job;
    const std::string text = StrCat(R"(
        train_one_batch { alg: kBPTT }
        updater { type: kSGD momentum: 0.9 learning_rate { type: kFixed base_lr: 0.2 } } )",
                                    more, R"(
        neuralnet {
          unroll_len: 6
          layer { name: "text" type: kCharRNN unroll_len: 1
                  char_rnn_conf { path: ")",
                                    text_, R"(" vocab_path: ")", vocabulary_,
                                    R"(" unroll_len: 6 batchsize: 4 } }
          layer { name: "label" type: kRNNLabel srclayers: "text"
                  unroll_conn_type: kUnrollOneToAll }
          layer { name: "in" srclayers: "text" unroll_conn_type: kUnrollOneToAll )",
                                    in, R"( }
          layer { name: "fc" type: kInnerProduct srclayers: "in"
                  innerproduct_conf { num_output: 5 }
                  param { name: "w" init { type: kUniform low: -0.1 high: 0.1 } }
                  param { name: "b" init { type: kConstant value: 0 } } }
          layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label" } })");
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job)) << text;
    return job;
  }

  // Returns the means of the metrics of the last steps.
  static std::map<std::string, double> Train(const JobProto& job, int64_t steps) {
    Trainer trainer(job, 1);
    trainer.Allocate();
    InitParams(trainer.model().ctx(), {}, &trainer.model().params());
    for (int64_t step = 0; step < steps; ++step) {
      if (step == steps - 5) trainer.metrics().Reset();
      trainer.TrainStep(step);
    }
    std::map<std::string, double> means;
    for (const MetricSums::Entry& entry : trainer.metrics().entries())
      means[entry.name] = entry.sum / entry.weight;
    return means;
  }

  const TempDir dir_;
  std::string text_, vocabulary_;
};

TEST_F(TextNet, OneHotLearnsWhichCharacterIsNext) {
  auto means = Train(Job("type: kOneHot onehot_conf { vocab_size: 5 }"), 150);
  EXPECT_LT(means["loss"], 0.05);
  EXPECT_EQ(means["accuracy"], 1);
}

TEST_F(TextNet, EmbeddingLearnsWhichCharacterIsNext) {
  auto means = Train(Job("type: kEmbedding embedding_conf { vocab_size: 5 feature_dim: 4 } "
                         "param { name: 't' init { type: kGaussian std: 0.5 } }"),
                     150);
  EXPECT_LT(means["loss"], 0.05);
  EXPECT_EQ(means["accuracy"], 1);
}

// A row has 505 / 4 = 126 characters: 20 windows of 6.
TEST_F(TextNet, APassOverTheTextHasAsManyStepsAsWindows) {
  Trainer trainer(Job("type: kOneHot onehot_conf { vocab_size: 5 }"), 1);
  trainer.Allocate();
  EXPECT_EQ(trainer.model().net().batch(), 4);
  EXPECT_EQ(trainer.model().readers().CountRecords(), 80);
}

TEST_F(TextNet, TestingWithoutStepsReadsTheTextOnce) {
  Trainer trainer(Job("type: kOneHot onehot_conf { vocab_size: 5 }", "train_steps: 1 test_freq: 1"),
                  1);
  trainer.Allocate();
  InitParams(trainer.model().ctx(), {}, &trainer.model().params());
  for (int i = 0; i < 2; ++i) {
    const auto sums = trainer.model().evaluator(kTest)->Run(0, [] { return false; });
    ASSERT_TRUE(sums);
    EXPECT_EQ(sums->entries()[0].weight, 20 * 4 * 6);
  }
}

TEST_F(TextNet, ItsPlaceInTheTextIsKeptForAResumedRun) {
  const JobProto job = Job("type: kOneHot onehot_conf { vocab_size: 5 }");
  Trainer trainer(job, 1);
  trainer.Allocate();
  InitParams(trainer.model().ctx(), {}, &trainer.model().params());
  for (int64_t step = 0; step < 23; ++step) trainer.TrainStep(step);
  EXPECT_EQ(trainer.model().readers().positions(),
            (std::vector<std::pair<std::string, int64_t>>{{"text", 23}}));
}

}  // namespace
}  // namespace singa
