// Tests the features of a trained net, mostly of an unrolled net whose rows are sequences.
#include "train/trainer/forwarder.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/temp_dir.h"
#include "singa/train/algorithm.h"
#include "support/expect_close.h"
#include "support/net_test.h"
#include "train/trainer/evaluator.h"

namespace singa {
namespace {

constexpr int64_t kCharacters = 5, kSteps = 6, kHiddenUnits = 4;

// In StepsInput each output is a time step of 3 numbers. It reads no store.
class StepsInput final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    return {.num_outputs = conf.dummy_conf().shape(0),
            .outputs_are_steps = true,
            .is_input = true,
            .differentiable = false};
  }
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 0);
    std::vector<int64_t> step = {7};
    for (int i = 1; i < conf.dummy_conf().shape_size(); ++i)
      step.push_back(conf.dummy_conf().shape(i));
    for (Port* port : out) port->data.SetShape(Shape(std::span<const int64_t>(step)));
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(SequenceRowsInput, StepsInput);

std::string Recurrent(const std::string& name, const std::string& source, bool carry,
                      const std::string& more = "") {
  std::string text = StrCat("layer { name: '", name, "' type: kLSTM srclayers: '", source,
                            "' lstm_conf { dim_hidden: ", kHiddenUnits,
                            " carry_state: ", carry ? "true" : "false", " } ", more);
  for (int i = 0; i < 12; ++i) text += StrCat(" param { name: '", name, i, "' }");
  return text + " }";
}

std::string Scores(const std::string& name, const std::string& source,
                   const std::string& more = "") {
  return StrCat("layer { name: '", name, "' type: kInnerProduct srclayers: '", source,
                "' innerproduct_conf { num_output: 5 } param { name: 'w' } param { name: 'b' } ",
                more, " }");
}

std::string OwnInput(int64_t steps, const std::string& shape) {
  return StrCat("layer { name: 'data' user_type: 'SequenceRowsInput' dummy_conf { shape: ", steps,
                " ", shape, " } }");
}

JobProto UnrolledJob(int64_t steps, const std::string& net) {
  JobProto job;
  const std::string text =
      StrCat("train_one_batch { alg: kBPTT } neuralnet { unroll_len: ", steps, " ", net, " }");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job)) << text;
  return job;
}

void FillParams(const ParamTable& params) {
  for (const auto& param : params.params()) {
    param->data = Tensor::Allocate(param->shape());
    FillUniform(param->name(), &param->data);
  }
}

// Used computes with params that depend on their names alone.
class Used {
 public:
  Used(const JobProto& job, const ForwardOptions& options)
      : values_(job, {options.layer}), net_(job, options) {
    FillParams(values_.params());
    net_.Open(values_.params());
  }

  Forwarder& net() { return net_; }
  std::vector<float> Run(const std::vector<float>& rows) {
    const auto n = static_cast<int64_t>(rows.size()) / net_.input_row().size;
    std::vector<float> out(n * net_.output_row().size);
    net_.Run(rows.data(), n, out.data());
    return out;
  }

 private:
  Forwarder values_, net_;
};

std::vector<float> Indices(int64_t count) {
  std::vector<float> indices;
  for (int64_t i = 0; i < count; ++i)
    indices.push_back(static_cast<float>(i * i / 2 % kCharacters));
  return indices;
}

std::vector<float> Part(const std::vector<float>& all, int64_t begin, int64_t count) {
  return {all.begin() + begin, all.begin() + begin + count};
}

class SequenceRows : public ::testing::Test {
 protected:
  // Returns a job from characters through one-hot rows, an LSTM and scores to probabilities.
  JobProto Text(int64_t steps, bool carry = false, int64_t batch = 3) {
    std::string text;
    for (float index : Indices(127)) text += "dcb\na"[static_cast<int>(index)];
    return UnrolledJob(
        steps,
        StrCat("layer { name: 'text' type: kCharRNN char_rnn_conf { path: '",
               dir_.Write("text", text), "' vocab_path: '", dir_.Write("vocabulary", "dcb\na"),
               "' unroll_len: ", steps, " batchsize: ", batch,
               " } } layer { name: 'onehot' type: kOneHot srclayers: 'text' onehot_conf { "
               "vocab_size: 5 } } layer { name: 'label' type: kRNNLabel srclayers: 'text' }",
               Recurrent("lstm", "onehot", carry), Scores("fc", "lstm"),
               "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'fc' srclayers: 'label' }"
               "layer { name: 'last' type: kReLU srclayers: 'fc' unroll_len: 1 "
               "unroll_conn_type: kUnrollFirstToLast }"));
  }

  TempDir dir_;
};

TEST_F(SequenceRows, HaveTheStepsFirst) {
  const Forwarder net(Text(kSteps), {});
  EXPECT_EQ(net.input_row().shape, std::vector<int64_t>{kSteps});
  EXPECT_EQ(net.output_row().shape, (std::vector<int64_t>{kSteps, kCharacters}));
  EXPECT_EQ(net.output().name, "loss");
  const Forwarder last(Text(kSteps), {.layer = "last"});
  EXPECT_EQ(last.output_row().shape, std::vector<int64_t>{kCharacters});
  const Forwarder step(Text(1), {});
  EXPECT_EQ(step.input_row().shape, std::vector<int64_t>{1});
  EXPECT_EQ(step.output_row().shape, std::vector<int64_t>{kCharacters});
}

TEST_F(SequenceRows, AreTheSameFoldedUnfoldedAndOneByOne) {
  const std::vector<float> rows = Indices(7 * kSteps);
  for (const char* layer : {"", "onehot", "lstm", "fc", "last"}) {
    SCOPED_TRACE(layer);
    Used folded(Text(kSteps), {.layer = layer, .max_batch = 4});
    Used unfolded(Text(kSteps), {.layer = layer, .max_batch = 4, .fold = false});
    Used single(Text(kSteps), {.layer = layer});
    const std::vector<float> out = folded.Run(rows);
    ExpectClose(unfolded.Run(rows), out, 2e-6);
    for (int64_t r = 0; r < 7; ++r) {
      const int64_t size = folded.net().output_row().size;
      ExpectClose(single.Run(Part(rows, r * kSteps, kSteps)), Part(out, r * size, size), 2e-6);
    }
  }
}

TEST_F(SequenceRows, GiveALayerOfOneStepTheLast) {
  const std::vector<float> rows = Indices(2 * kSteps);
  const std::vector<float> all = Used(Text(kSteps), {.layer = "fc", .max_batch = 2}).Run(rows);
  const std::vector<float> last = Used(Text(kSteps), {.layer = "last", .max_batch = 2}).Run(rows);
  ASSERT_EQ(last.size(), 2u * kCharacters);
  for (int64_t r = 0; r < 2; ++r)
    for (int64_t j = 0; j < kCharacters; ++j)
      EXPECT_EQ(last[r * kCharacters + j],
                std::max(0.0f, all[((r + 1) * kSteps - 1) * kCharacters + j]));
}

// The text has 127 characters in 3 segments of 42: 6 windows of 6 each.
TEST_F(SequenceRows, GiveWhatATestDoes) {
  const JobProto job = Text(kSteps);
  StepState state;
  Context ctx;
  ctx.state = &state;
  const auto algorithm = MakeAlgorithm(job.train_one_batch());
  ParamTable params;
  Evaluator evaluator(job, kTest, &params, algorithm.get(), &ctx);
  FillParams(params);
  evaluator.Open(NetArena::Allocate(ctx, evaluator.memory()));
  Used used(job, {.max_batch = 3});
  const std::vector<float> text = Indices(127);
  for (int64_t window = 0; window < 6; ++window) {
    algorithm->TestOneBatch(ctx, evaluator.net());
    const float* tested = evaluator.net().Find("loss")->out[0]->data.data();
    std::vector<float> rows, expected;
    for (int64_t r = 0; r < 3; ++r)
      for (int64_t t = 0; t < kSteps; ++t) {
        rows.push_back(text[r * 42 + window * kSteps + t]);
        const float* p = tested + (t * 3 + r) * kCharacters;
        expected.insert(expected.end(), p, p + kCharacters);
      }
    ExpectClose(used.Run(rows), expected, 2e-6);
  }
}

TEST_F(SequenceRows, OfOneSequenceGoOnWithItsState) {
  const std::vector<float> text = Indices(4 * kSteps);
  const std::vector<float> whole = Used(Text(4 * kSteps, true), {}).Run(text);
  Used windows(Text(kSteps, true), {.one_sequence = true});
  ExpectClose(windows.Run(text), whole, 2e-6);
  windows.net().Reset();
  std::vector<float> pieces;
  for (int64_t w = 0; w < 4; ++w) {
    const std::vector<float> piece = windows.Run(Part(text, w * kSteps, kSteps));
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  ExpectClose(pieces, whole, 2e-6);
  Used steps(Text(1, true), {.one_sequence = true});
  ExpectClose(steps.Run(text), whole, 2e-6);
}

TEST_F(SequenceRows, BeginWithZerosUnlessTheyAreOfOneSequence) {
  const std::vector<float> text = Indices(3 * kSteps);
  const std::vector<float> apart = Used(Text(kSteps), {.max_batch = 3}).Run(text);
  ExpectClose(Used(Text(kSteps, true), {.max_batch = 1}).Run(text), apart, 2e-6);
  Used one(Text(kSteps, true), {.one_sequence = true});
  const std::vector<float> together = one.Run(text);
  const int64_t size = kSteps * kCharacters;
  ExpectClose(Part(together, 0, size), Part(apart, 0, size), 2e-6);
  EXPECT_GT(std::abs(together[size] - apart[size]), 1e-4);
}

TEST_F(SequenceRows, NameTheRowAndStepOfAnIndexThatIsNone) {
  std::vector<float> rows = Indices(5 * kSteps);
  for (float bad : {5.f, -2.f, 0.5f, 1e30f, NAN}) {
    rows[4 * kSteps + 3] = bad;
    for (bool fold : {true, false}) {
      Used used(Text(kSteps), {.max_batch = 2, .fold = fold});
      EXPECT_ERROR(used.Run(rows), kExitBadData, "given rows: record 4: step 3: the index is",
                   "layer \"onehot\" allows 0 to 4");
      EXPECT_EQ(used.Run(Indices(kSteps)), used.Run(Indices(kSteps)));
    }
  }
}

TEST_F(SequenceRows, AreTheRecordWhereAllStepsReadOne) {
  const std::string data =
      "layer { name: 'data' type: kCSVInput MORE store_conf { path: 'x' batchsize: 7 shape: 3 "
      "mean_value: 1 } }";
  const std::vector<float> rows = {1, 2, 3, 0, 1, 0, 2, 2, 1};
  std::vector<float> first;
  for (const char* more : {"", "unroll_len: 1"}) {
    std::string input = data;
    input.replace(input.find("MORE"), 4, more);
    const JobProto job = UnrolledJob(4, input + Recurrent("lstm", "data", false));
    Used used(job, {.max_batch = 2});
    EXPECT_EQ(used.net().input_row().shape, std::vector<int64_t>{3});
    EXPECT_EQ(used.net().output_row().shape, (std::vector<int64_t>{4, kHiddenUnits}));
    const std::vector<float> out = used.Run(rows);
    if (first.empty()) first = out;
    ExpectClose(out, first, 2e-6);
  }
  // The record is the same at each of four steps.
  Used steps(UnrolledJob(4, OwnInput(4, "shape: 3") + Recurrent("lstm", "data", false)),
             {.max_batch = 3});
  std::vector<float> repeated;
  for (int64_t r = 0; r < 3; ++r)
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t j = 0; j < 3; ++j) repeated.push_back(rows[r * 3 + j] - 1);
  ExpectClose(steps.Run(repeated), first, 2e-6);
}

TEST_F(SequenceRows, AreStepsOfAnyShapeInLogicalOrder) {
  const std::string conv =
      "layer { name: 'conv' type: kConvolution srclayers: 'data' convolution_conf { num_filters: 2 "
      "kernel: 3 } param { name: 'w' } param { name: 'b' } }";
  const auto job = [&](int64_t steps) {
    return UnrolledJob(steps, OwnInput(steps, "shape: 3 shape: 4 shape: 5") + conv);
  };
  Used used(job(3), {.max_batch = 2}), one(job(1), {});
  EXPECT_EQ(used.net().input_row().shape, (std::vector<int64_t>{3, 3, 4, 5}));
  EXPECT_EQ(used.net().output_row().shape, (std::vector<int64_t>{3, 2, 2, 3}));
  std::vector<float> rows;
  for (int i = 0; i < 2 * 3 * 60; ++i) rows.push_back(static_cast<float>(i * 7 % 13));
  const std::vector<float> out = used.Run(rows);
  for (int64_t i = 0; i < 6; ++i)
    ExpectClose(Part(out, i * 12, 12), one.Run(Part(rows, i * 60, 60)), 2e-6);
}

TEST_F(SequenceRows, RefuseALayerWithOtherRows) {
  const std::string both =
      "layer { name: 'both' type: kConcate srclayers: 'data' srclayers: 'data' concate_conf { "
      "concate_dim: 0 num_concates: 2 } }";
  EXPECT_ERROR(Forwarder(UnrolledJob(1, OwnInput(1, "shape: 3") + both), {.max_batch = 2}),
               kExitConfig, "neuralnet.layer[both]: gives 4 rows for 2 records");
}

}  // namespace
}  // namespace singa
