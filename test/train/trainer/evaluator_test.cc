#include "train/trainer/evaluator.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// HistorySum gives the sum of its source over the time steps since the net began anew.
class HistorySum final : public Layer {
 public:
  static inline int computed = 0;  // batches

  Wiring wiring(const LayerProto&) const override { return {.carries_steps = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    ++computed;
    sum_ = in[0]->data.data()[0] + (ctx.past > 0 ? sum_ : 0);
    out[0]->data.data()[0] = sum_;
  }

 private:
  float sum_ = 0;
};
SINGA_REGISTER_LAYER(HistorySum, HistorySum);

// PairList lists the numbers of its two sources, as an output layer writes them.
class PairList final : public Layer {
 public:
  static inline std::vector<std::pair<float, float>> pairs;

  Wiring wiring(const LayerProto&) const override { return {.writes_file = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 2);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs) override {
    pairs.emplace_back(in[0]->data.data()[0], in[1]->data.data()[0]);
  }
};
SINGA_REGISTER_LAYER(PairList, PairList);

constexpr char kNoStore[] = "type: kDummy dummy_conf { input: true shape: 2 shape: 2 }";

// The net reads five records of two scores each, in batches of two. The larger score is the label's
// in records 0, 1 and 4.
class EvaluatorTest : public ::testing::Test {
 protected:
  EvaluatorTest() { ctx_.state = &state_; }

  static JobProto Job(const std::string& input, const std::string& more = "") {
    JobProto job;
    const std::string text =
        StrCat("train_one_batch { alg: kBP } neuralnet { layer { name: 'data' ", input,
               " } layer { name: 'scores' type: kReLU srclayers: 'data' } ", more, " }");
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job)) << text;
    return job;
  }
  JobProto JobOfRecords() const {
    const std::string path = dir_.Write("records", "0,9,1\n1,1,9\n0,1,9\n1,9,1\n0,9,1\n");
    return Job(StrCat("type: kCSVInput store_conf { batchsize: 2 shape: 2 path: '", path, "' }"),
               "layer { name: 'accuracy' type: kAccuracy srclayers: 'scores' srclayers: 'data' }");
  }
  // Returns a net that reads the sum of what it has read, in windows of 4 batches.
  static JobProto JobOfWindows(int steps) {
    JobProto job =
        Job("type: kRNNDummy rnn_dummy_conf { shape: 1 low: 1 high: 1 window: 4 "
            "dynamic_srclayer: 'sum' }",
            "layer { name: 'sum' user_type: 'HistorySum' srclayers: 'data' } "
            "layer { name: 'pairs' user_type: 'PairList' srclayers: 'data' srclayers: 'sum' }");
    job.set_test_steps(steps);
    PairList::pairs.clear();
    HistorySum::computed = 0;
    return job;
  }
  std::unique_ptr<Evaluator> Open(const JobProto& job, Phase phase = kTest) {
    auto evaluator = std::make_unique<Evaluator>(job, phase, &params_, algorithm_.get(), &ctx_);
    evaluator->Open(NetArena::Allocate(ctx_, evaluator->memory()));
    return evaluator;
  }
  static std::function<bool()> Never() {
    return [] { return false; };
  }
  // Returns the numbers of correct records and of all records of a run.
  static std::string Counts(const std::optional<MetricSums>& sums) {
    if (!sums) return "none";
    const MetricSums::Entry& accuracy = sums->entries().at(0);
    return StrCat(accuracy.sum, " of ", accuracy.weight);
  }

  const TempDir dir_;
  StepState state_;
  Context ctx_;
  ParamTable params_;
  const std::unique_ptr<Algorithm> algorithm_ = MakeAlgorithm(Job(kNoStore).train_one_batch());
};

TEST_F(EvaluatorTest, WithoutStepsItUsesEachRecordOnce) {
  EXPECT_EQ(Counts(Open(JobOfRecords())->Run(0, Never())), "3 of 5");
}

TEST_F(EvaluatorTest, StepsAreBatchesFromTheFirstRecordOn) {
  const auto evaluator = Open(JobOfRecords());
  EXPECT_EQ(Counts(evaluator->Run(1, Never())), "2 of 2");
  EXPECT_EQ(Counts(evaluator->Run(2, Never())), "2 of 4");
  EXPECT_EQ(Counts(evaluator->Run(1, Never())), "2 of 2");
}

TEST_F(EvaluatorTest, StepsBehindTheLastRecordBeginAgain) {
  EXPECT_EQ(Counts(Open(JobOfRecords())->Run(3, Never())), "4 of 6");
}

TEST_F(EvaluatorTest, ARunOfAllRecordsMayBeRepeated) {
  const auto evaluator = Open(JobOfRecords());
  evaluator->Run(0, Never());
  EXPECT_EQ(Counts(evaluator->Run(0, Never())), "3 of 5");
}

TEST_F(EvaluatorTest, StopsBetweenTwoBatches) {
  const auto evaluator = Open(JobOfRecords());
  int batches = 0;
  EXPECT_EQ(Counts(evaluator->Run(0, [&] { return ++batches > 2; })), "none");
  EXPECT_EQ(Counts(evaluator->Run(0, Never())), "3 of 5");
}

// A full window begins anew with its last half, so that the sums of that half change.
TEST_F(EvaluatorTest, ANetReadsWhatItWroteInEachWindow) {
  constexpr int kBatches = 12;
  Open(JobOfWindows(kBatches))->Run(kBatches, Never());
  const auto& pairs = PairList::pairs;
  ASSERT_EQ(pairs.size(), size_t{kBatches});
  for (size_t b = 1; b < pairs.size(); ++b) EXPECT_EQ(pairs[b].first, pairs[b - 1].second) << b;
  EXPECT_EQ(pairs[4].second, pairs[4].first + pairs[3].first + pairs[2].first);
}

TEST_F(EvaluatorTest, StopsWhileItComputesBatchesAgain) {
  const auto evaluator = Open(JobOfWindows(12));
  EXPECT_FALSE(evaluator->Run(12, [] { return HistorySum::computed >= 5; }));
  EXPECT_EQ(HistorySum::computed, 5);
}

TEST_F(EvaluatorTest, WithoutAStoreItNeedsSteps) {
  const JobProto job = Job(kNoStore);
  EXPECT_ERROR(Open(job, kTest), kExitConfig,
               "test_steps: must be > 0 where no input layer reads a store");
  EXPECT_ERROR(Open(job, kVal), kExitConfig,
               "validate_steps: must be > 0 where no input layer reads a store");
}

}  // namespace
}  // namespace singa
