// Tests a user's own input layer: passes over its whole store, perplexities, and settings that do
// not fit its data.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "singa/base/error.h"
#include "singa/nn/record_reader.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

constexpr int kRecords = 6;

// In Numbers record i is the number i, in batches of split_conf.num_splits. It does not count its
// records if a batch has more.
class Numbers final : public Layer, public RecordReader {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.is_input = true, .differentiable = false};
  }
  void Setup(const LayerProto& conf, Declare&, Inputs, Outputs out) override {
    const int batch = conf.split_conf().num_splits();
    if (batch > kRecords) records_ = -1;
    out[0]->data.SetShape({batch, 1});
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs out) override {
    for (int64_t i = 0; i < out[0]->data.size(); ++i)
      out[0]->data.data()[i] = static_cast<float>(position_++ % kRecords);
  }
  RecordReader* reader() override { return this; }

  int64_t Position() const override { return position_; }
  void Seek(int64_t position) override { position_ = position; }
  int64_t CountRecords() override { return records_; }

 private:
  int64_t position_ = 0, records_ = kRecords;
};
SINGA_REGISTER_LAYER(Numbers, Numbers);

// Perplexity has the metric "ppl" of its input numbers, which must be at most
// split_conf.num_splits.
class Perplexity final : public Layer {
 public:
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    most_ = conf.split_conf().num_splits();
    ppl_ = declare.ExponentialMetric("ppl");
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs) override {
    for (int64_t i = 0; i < in[0]->data.size(); ++i) {
      if (in[0]->data.data()[i] > static_cast<float>(most_))
        throw ConfigError("split_conf.num_splits", "is too small");
      ppl_->Add(in[0]->data.data()[i], 1);
    }
  }

 private:
  int64_t most_ = 0;
  Metric* ppl_ = nullptr;
};
SINGA_REGISTER_LAYER(Perplexity, Perplexity);

JobProto PerplexityJob(int batch, int most = kRecords) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat("train_steps: 1 test_freq: 1 train_one_batch { alg: kBP }",
             " updater { type: kSGD learning_rate { type: kFixed base_lr: 1 } } neuralnet {",
             " layer { name: 'data' user_type: 'Numbers' split_conf { num_splits: ", batch, " } }",
             " layer { name: 'loss' user_type: 'Perplexity' srclayers: 'data'",
             " split_conf { num_splits: ", most, " } } }"),
      &job));
  return job;
}

double TestPerplexity(const JobProto& job) {
  Trainer trainer(job, 1);
  trainer.Allocate();
  return trainer.model().evaluator(kTest)->Run(0, [] { return false; })->entries()[0].value();
}

std::string ErrorPath(const JobProto& job) {
  try {
    TestPerplexity(job);
  } catch (const ConfigError& error) {
    return error.path();
  }
  return "none";
}

TEST(UserStore, IsReadWhole) {
  const double mean = (kRecords - 1) / 2.;
  EXPECT_DOUBLE_EQ(TestPerplexity(PerplexityJob(1)), std::exp(mean));
  EXPECT_DOUBLE_EQ(TestPerplexity(PerplexityJob(3)), std::exp(mean));
}

TEST(UserStore, AsksForStepsWhereItIsNoMultipleOfTheBatch) {
  EXPECT_EQ(ErrorPath(PerplexityJob(4)), "test_steps");
}

TEST(UserStore, AsksForStepsWhereNobodyCounts) {
  EXPECT_EQ(ErrorPath(PerplexityJob(kRecords + 1)), "test_steps");
}

TEST(UserStore, GivesThePlaceOfASettingThatDoesNotFitIt) {
  EXPECT_EQ(ErrorPath(PerplexityJob(1, 3)), "neuralnet.layer[loss].split_conf.num_splits");
}

}  // namespace
}  // namespace singa
