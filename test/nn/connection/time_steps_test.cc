// Tests kTimeSteps, and sequences of uneven length, from which it makes time steps.
#include "io/temp_dir.h"
#include "support/layer_test.h"
#include "support/net_test.h"

namespace singa {
namespace {

class TimeStepsTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(TimeStepsTest);

const char* const kThree = "type: kTimeSteps time_steps_conf { unroll_len: 3 }";

TEST_P(TimeStepsTest, AnOutputIsAStepOfAllRows) {
  const Values x = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
  const auto layer = Build(kThree, {{.shape = {2, 3, 2}, .data = x, .labels = {7, 8}}});
  layer->BeginStep(0);
  layer->Forward(kTrain);
  for (int t = 0; t < 3; ++t) {
    const Port& out = layer->out(t);
    const float first = static_cast<float>(10 * t);
    EXPECT_EQ(Values(out.data.data(), out.data.data() + 4),
              (Values{first, first + 1, first + 100, first + 101}));
    EXPECT_EQ(out.label.as<int32_t>()[0], 7);
    EXPECT_EQ(out.label.as<int32_t>()[1], 8);
    EXPECT_EQ(out.span.first_step, t);
  }
}

TEST_P(TimeStepsTest, AStepOfANumberHasOneUnit) {
  const auto layer = Build("type: kTimeSteps time_steps_conf { unroll_len: 2 ahead: 1 }",
                           {{.shape = {2, 3}, .data = {0, 1, 2, 10, 11, 12}}});
  layer->BeginStep(0);
  layer->Forward(kTest);
  EXPECT_EQ(layer->wiring().steps_ahead, 1);
  EXPECT_EQ(layer->out(2).data.shape(), Shape({2, 1}));
  EXPECT_EQ(layer->out(2).data.data()[1], 12);
}

TEST_P(TimeStepsTest, RejectsWhatHasOtherSteps) {
  EXPECT_CONFIG_ERROR_SAYS(Build(kThree, {2, 4, 5}), "time_steps_conf.unroll_len",
                           "must be, with `ahead`, 4");
  EXPECT_CONFIG_ERROR_SAYS(Build(kThree, {3, 1, 2, 2}), "srclayers",
                           "must have rows of (3) or (3, units), has the shape (3, 1, 2, 2)");
  for (const char* text : {"unroll_len: 0", "unroll_len: 50001"})
    EXPECT_CONFIG_ERROR(Build(StrCat("type: kTimeSteps time_steps_conf { ", text, " }"), {2, 3}),
                        "time_steps_conf.unroll_len");
  EXPECT_CONFIG_ERROR(Build("type: kTimeSteps time_steps_conf { ahead: -1 }", {2, 3}),
                      "time_steps_conf.ahead");
}

// UnevenLengths has records of six indices, -1 behind a sequence's end. At each step the label is
// the next index.
class UnevenLengths : public ::testing::Test {
 protected:
  static constexpr int kSteps = 5;
  const std::vector<std::vector<int>> sequences_ = {
      {2, 0, 1, 1, 3, 2}, {1, 2}, {3, 3, 0, 2}, {0, 1, 2, 3, 0}};

  // Returns a net for `rows` records of `steps` steps and one more index.
  std::string Net(const std::string& records, int rows, int steps) const {
    return StrCat("unroll_len: ", steps, R"(
      layer { name: "data" type: kCSVInput unroll_len: 1
              store_conf { path: ")",
                  records, R"(" has_label: false batchsize: )", rows, " shape: ", steps + 1, R"( } }
      layer { name: "steps" type: kTimeSteps srclayers: "data"
              time_steps_conf { ahead: 1 unroll_len: )",
                  steps, R"( } }
      layer { name: "label" type: kRNNLabel srclayers: "steps" }
      layer { name: "embed" type: kEmbedding srclayers: "steps" param { name: "e" }
              embedding_conf { vocab_size: 4 feature_dim: 3 } }
      layer { name: "rnn" type: kRNN srclayers: "embed" rnn_conf { dim_hidden: 4 }
              param { name: "wx" } param { name: "wh" } param { name: "b" } }
      layer { name: "fc" type: kInnerProduct srclayers: "rnn" param { name: "w" }
              param { name: "c" } innerproduct_conf { num_output: 4 } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label"
              softmaxloss_conf { ignore_label: -1 } })");
  }

  std::string Record(const std::vector<int>& sequence, size_t size) {
    std::string line;
    for (size_t i = 0; i < size; ++i)
      line += StrCat(i ? "," : "", i < sequence.size() ? sequence[i] : -1);
    return line + "\n";
  }

  std::string File(const std::string& name, const std::string& text) {
    return dir_.Write(name, text);
  }

  const TempDir dir_;
};

TEST_F(UnevenLengths, CountAsEachSequenceAlone) {
  std::string records;
  for (const auto& sequence : sequences_) records += Record(sequence, kSteps + 1);
  for (bool fold : {true, false}) {
    NetOptions options;
    options.fold = fold;
    TestNet all(Net(File("all", records), 4, kSteps), options);
    all.Forward();
    const double loss = all.TakeLoss();
    all.Backward();
    std::map<std::string, std::vector<float>> sums;
    double sum = 0;
    for (const auto& sequence : sequences_) {  // in a net of the sequence's length
      const int steps = static_cast<int>(sequence.size()) - 1;
      const std::string record = Record(sequence, sequence.size());
      TestNet one(Net(File("one", record), 1, steps), options);
      one.Forward();
      sum += one.TakeLoss() / 4;
      one.Backward();
      for (const auto& param : one.params.params()) {
        std::vector<float>& total = sums[param->name()];
        const std::vector<float> grad = one.Grad(param->name());
        total.resize(grad.size());
        for (size_t i = 0; i < grad.size(); ++i) total[i] += grad[i] / 4;
      }
    }
    EXPECT_NEAR(loss, sum, 1e-6);
    for (const auto& [name, total] : sums) {
      const std::vector<float> grad = all.Grad(name);
      for (size_t i = 0; i < total.size(); ++i) EXPECT_NEAR(grad[i], total[i], 1e-6) << name << i;
    }
  }
}

TEST_F(UnevenLengths, AreCountedInTheMeans) {
  TestNet test(Net(File("two", Record(sequences_[1], 6) + Record(sequences_[2], 6)), 2, kSteps));
  test.Forward();
  double steps = 0;
  for (const Metric& metric : test.net.Find("loss")->declared().metrics)
    steps = metric.cell.as<double>()[1];
  EXPECT_EQ(steps, 1 + 3);
}

std::string FirstError(const std::string& net) {
  ConfigErrors errors;
  ParamTable params;
  BuildNet(ParseNet(net), {}, &params, &errors);
  return errors.empty() ? "" : errors[0].what();
}

TEST_F(UnevenLengths, NeedAStepAheadForTheirLabels) {
  std::string net = Net("none", 2, 5);
  const std::string ahead = "ahead: 1 unroll_len: 5";
  net.replace(net.find(ahead), ahead.size(), "unroll_len: 6");
  for (size_t at; (at = net.find("unroll_len: 5")) != std::string::npos;)
    net.replace(at, 13, "unroll_len: 6");
  EXPECT_EQ(
      FirstError(net),
      "layer[label].srclayers: source \"steps\" must give 1 more time step than its readers have "
      "(time_steps_conf.ahead), gives 0");
}

TEST_F(UnevenLengths, RecordsAreWholeUnlessTheConfSaysOtherwise) {
  std::string net = Net("none", 2, 5);
  const std::string said = " unroll_len: 1";
  const size_t place = net.find(said);
  net.erase(place, said.size());
  ParamTable params;
  EXPECT_EQ(BuildNet(ParseNet(net), {}, &params).nodes().size(), 7u);
  net.insert(place, " unroll_len: 5");
  EXPECT_EQ(FirstError(net),
            "layer[data].unroll_len: must be 1: layer \"steps\" makes time steps of "
            "whole records; is 5");
}

TEST_F(UnevenLengths, OfOtherStepsThanTheReadersAreNamed) {
  std::string net = Net("none", 2, 5);
  const std::string steps = "ahead: 1 unroll_len: 5";
  net.replace(net.find(steps), steps.size(), "ahead: 1 unroll_len: 4");
  EXPECT_EQ(
      FirstError(net),
      "layer[steps].time_steps_conf.unroll_len: must be 5, the unroll_len of layer \"label\", "
      "which reads it; is 4");
}

TEST_F(UnevenLengths, ALabelThatIsNoIndexIsNamedByItsRecord) {
  const std::string records = File("bad", "0,1,2,-1,-1,-1\n0,1,2,3,0,1.5\n");
  TestNet test(Net(records, 2, kSteps));
  EXPECT_ERROR(test.Forward(), kExitBadData, records,
               "record 1: the index is 1.5, layer \"label\"");
}

TEST_F(UnevenLengths, NothingBelowTimeStepsIsTrained) {
  const std::string net = R"(
      layer { name: "data" type: kDummy dummy_conf { input: true shape: 2 shape: 8 } }
      layer { name: "low" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 5 }
              param { name: "w" } param { name: "b" } }
      layer { name: "steps" type: kTimeSteps srclayers: "low" time_steps_conf { unroll_len: 5 } }
      layer { name: "rnn" type: kRNN srclayers: "steps" unroll_len: 5 rnn_conf { dim_hidden: 4 }
              param { name: "wx" } param { name: "wh" } param { name: "c" } })";
  EXPECT_EQ(FirstError(net),
            "layer[steps].srclayers: must give records as they are: no gradient "
            "reaches what is trained below the layer");
}

TEST_F(UnevenLengths, MemoryGrowsWithTheActivationsAlone) {
  const std::string records = File("none", "");
  std::vector<int64_t> arenas;
  for (int steps : {20, 40, 80}) {
    TestNet test(Net(records, 16, steps), {}, false);
    arenas.push_back(PrepareNet(test.ctx, &test.net).arena);
  }
  const int64_t step = (arenas[1] - arenas[0]) / 20;
  EXPECT_NEAR(static_cast<double>(arenas[2] - arenas[1]), 40.0 * step, 4096);
  // A step has index and label, embedding, hidden units, their gate, scores, and the gradients of
  // some of these.
  EXPECT_LT(step, 16 * int64_t{sizeof(float)} * (2 + 2 * (3 + 4 + 4 + 4)));
}

TEST_F(UnevenLengths, ABadIndexIsNamedByItsRecord) {
  const std::string records =
      File("bad", Record(sequences_[0], 6) + Record({1, 2, 9, 1}, 6) + Record({1}, 6));
  for (bool fold : {true, false}) {
    NetOptions options;
    options.fold = fold;
    TestNet test(Net(records, 3, kSteps), options);
    EXPECT_ERROR(test.Forward(), kExitBadData, records,
                 "record 1: the index is 9, layer \"embed\"");
  }
}

TEST_F(UnevenLengths, ABadLabelIsNamedByItsRecord) {
  const std::string records = File("bad", Record({0, 1, 2}, 6) + Record({0, 1, 2, 3, 0, 7}, 6));
  TestNet test(Net(records, 2, kSteps));
  EXPECT_ERROR(test.Forward(), kExitBadData, records, "record 1: the label is 7, layer \"loss\"");
}

}  // namespace
}  // namespace singa
