// Tests which part of the data a worker of a group gets, and each of several groups. Tests which
// settings are refused.
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/temp_dir.h"
#include "nn/net_readers.h"
#include "support/layer_test.h"
#include "support/net_test.h"

namespace singa {
namespace {

constexpr char kSynthetic[] =
    "backend: 'synthetic' shape: 2 synthetic_conf { records: 20 classes: 3 } ";

Net Build(const std::string& text, int parts, int groups = 1) {
  NetOptions options;
  options.parts = parts;
  options.groups = groups;
  ParamTable params;
  return BuildNet(ParseNet(text), options, &params);
}

std::string InputOf(const std::string& conf) { return StrCat("layer { name: 'in' ", conf, " }\n"); }

TEST(GroupParts, ABatchHasARowForEachWorker) {
  const std::string text = "char_rnn_conf { path: 't' vocab_path: 'v' unroll_len: 2 batchsize: 2 }";
  struct Case {
    std::string conf, field;
  };
  const Case inputs[] = {
      {StrCat("type: kRecordInput store_conf { ", kSynthetic, "batchsize: 2 }"),
       "store_conf.batchsize"},
      {"type: kCSVInput store_conf { path: 'x' shape: 2 batchsize: 2 }", "store_conf.batchsize"},
      {"type: kCharRNN " + text, "char_rnn_conf.batchsize"},
      {"type: kDummy dummy_conf { input: true shape: 2 shape: 4 }", "dummy_conf.shape"},
      {"type: kRNNDummy rnn_dummy_conf { shape: 2 shape: 1 }", "rnn_dummy_conf.shape"}};
  for (const Case& input : inputs) {
    const std::string net = InputOf(input.conf);
    EXPECT_EQ(Build(net, 2).nodes()[0].out[0]->span.rows, 1) << net;
    EXPECT_CONFIG_ERROR_SAYS(Build(net, 3), "neuralnet.layer[in]." + input.field, "3");
  }
  EXPECT_CONFIG_ERROR_SAYS(Build(InputOf(StrCat("type: kRecordInput store_conf { ", kSynthetic,
                                                "batchsize: 2 batchsize: 3 }")),
                                 3),
                           "neuralnet.layer[in].store_conf.batchsize#1",
                           "one for each of the 3 workers");
}

// WholeBatch ignores workers.
class WholeBatch final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.is_input = true}; }
  void Setup(const LayerProto&, Declare&, Inputs, Outputs out) override {
    out[0]->data.SetShape({4, 2});
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(WholeBatch, WholeBatch);

TEST(GroupParts, NoWorkerHasTheWholeBatch) {
  EXPECT_EQ(Build(InputOf("user_type: 'WholeBatch'"), 1).batch(), 4);
  EXPECT_CONFIG_ERROR_SAYS(Build(InputOf("user_type: 'WholeBatch'"), 2), "neuralnet.layer[in]",
                           "gives every worker of the group the whole batch");
}

TEST(GroupParts, OneGroupAloneWritesAFile) {
  const std::string in = InputOf("type: kDummy dummy_conf { input: true shape: 4 shape: 4 }");
  for (const char* conf : {"type: kCSVOutput store_conf { path: 'x' }",
                           "type: kRecordOutput store_conf { path: 'x' }"}) {
    const std::string net = in + "layer { name: 'out' srclayers: 'in' " + conf + " }";
    EXPECT_EQ(Build(net, 1).nodes().size(), 2u);
    EXPECT_EQ(Build(net, 2).nodes().size(), 4u);  // with a bridge
    EXPECT_CONFIG_ERROR_SAYS(Build(net, 1, 3), "neuralnet.layer[out].type", "3 worker groups");
  }
}

// Returns the rows that the first layer of group `group` of `groups` gives in `steps` steps.
std::vector<float> RowsRead(const std::string& text, int group, int groups, int steps) {
  NetOptions options;
  options.group = group;
  options.groups = groups;
  TestNet test(text, options);
  std::vector<float> all;
  for (int step = 0; step < steps; ++step) {
    test.state.step = step;
    test.Forward();
    const Tensor& data = test.net.nodes()[0].out[0]->data;
    all.insert(all.end(), data.data(), data.data() + data.size());
  }
  return all;
}

class GroupData : public ::testing::Test {
 protected:
  const TempDir dir_;
};

TEST_F(GroupData, GroupsReadDisjointSharesOfARecordOrder) {
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += StrCat(i, "\n");
  const std::string store =
      StrCat("type: kCSVInput store_conf { path: '", dir_.Write("lines", lines),
             "' batchsize: 2 shape: 1 has_label: false ");
  EXPECT_EQ(RowsRead(InputOf(store + "}"), 0, 3, 2), (std::vector<float>{0, 1, 2, 0}));
  EXPECT_EQ(RowsRead(InputOf(store + "}"), 1, 3, 2), (std::vector<float>{3, 4, 5, 3}));
  EXPECT_EQ(RowsRead(InputOf(store + "}"), 2, 3, 2), (std::vector<float>{6, 7, 8, 9}));
  std::vector<float> all;  // two groups, one epoch: every record once
  for (int group : {0, 1})
    for (float x : RowsRead(InputOf(store + "batchsize: 3 shuffle: true }"), group, 2, 1))
      all.push_back(x);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_THROW(RowsRead(InputOf(store + "}"), 0, 11, 1), ConfigError);  // no record
}

TEST_F(GroupData, GroupsReadDisjointSegmentsOfAText) {
  const std::string text =
      StrCat("type: kCharRNN char_rnn_conf { path: '", dir_.Write("text", "abcdefghijklmnop"),
             "' vocab_path: '", dir_.Write("vocabulary", "abcdefghijklmnop"),
             "' unroll_len: 1 batchsize: 2 }");
  EXPECT_EQ(RowsRead(InputOf(text), 0, 1, 2), (std::vector<float>{0, 8, 1, 9}));
  EXPECT_EQ(RowsRead(InputOf(text), 0, 2, 2), (std::vector<float>{0, 4, 1, 5}));
  EXPECT_EQ(RowsRead(InputOf(text), 1, 2, 2), (std::vector<float>{8, 12, 9, 13}));
}

TEST_F(GroupData, APassIsOneOfTheGroupsShare) {
  NetOptions options;
  options.groups = 3;
  int64_t all = 0;
  for (options.group = 0; options.group < 3; ++options.group) {
    TestNet test(InputOf(StrCat("type: kRecordInput store_conf { ", kSynthetic, "batchsize: 2 }")),
                 options);
    all += NetReaders(&test.net).CountRecords();
    EXPECT_EQ(NetReaders(&test.net).CountRecords(), options.group == 0 ? 6 : 7);
  }
  EXPECT_EQ(all, 20);
}

TEST_F(GroupData, GroupsDrawOtherNumbers) {
  for (const char* conf : {"type: kDummy dummy_conf { input: true shape: 2 shape: 3 }",
                           "type: kRNNDummy rnn_dummy_conf { shape: 2 shape: 3 high: 1 }"}) {
    EXPECT_NE(RowsRead(InputOf(conf), 0, 2, 1), RowsRead(InputOf(conf), 1, 2, 1));
    EXPECT_EQ(RowsRead(InputOf(conf), 0, 2, 1), RowsRead(InputOf(conf), 0, 1, 1));
  }
}

class GroupState : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(GroupState);

TEST_P(GroupState, IsOfTheWorkersRows) {
  const std::string conf =
      "type: kRNN rnn_conf { dim_hidden: 2 carry_state: true } param {} param {} param {}";
  const auto layer = Build(conf, std::vector<singa::Input>{{.shape = {2, 3}, .span = {2, 2, 5}}});
  for (const Buffer& buffer : layer->declare().declared().buffers)
    EXPECT_TRUE(buffer.keep != Keep::kForever || buffer.span.GlobalRow(1) == 3);
  EXPECT_CONFIG_ERROR_SAYS(
      Build(conf, std::vector<singa::Input>{{.shape = {3, 3}, .span = {2, 2, 5}}}), "srclayers",
      "gives 3 rows for the worker's 2 of the batch");
}

TEST_P(GroupState, ABrokenRowAloneBeginsAnew) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [type, field, params] :
       {std::tuple{"kGRU", "gru_conf", 9}, {"kLSTM", "lstm_conf", 12}, {"kRNN", "rnn_conf", 3}}) {
    std::string conf = StrCat("type: ", type, " ", field, " { dim_hidden: 2 carry_state: true }");
    for (int i = 0; i < params; ++i) conf += " param {}";
    const auto layer =
        Build(conf, std::vector<singa::Input>{{.shape = {2, 3}, .data = {1, nan, 1, 1, 2, 3}}});
    layer->BeginStep(0);
    layer->Forward(kTrain);
    const Values y = layer->Output();
    EXPECT_TRUE(std::isnan(y[0]) && std::isfinite(y[2])) << type;
    for (const Buffer& buffer : layer->declare().declared().buffers) {
      if (buffer.keep != Keep::kForever) continue;
      const Values state = layer->BufferData(buffer);
      EXPECT_EQ(state[0], 0);
      EXPECT_EQ(state[1], 0);
      EXPECT_NE(state[2], 0);
      EXPECT_EQ(buffer.span.rows, 2);
      EXPECT_EQ(buffer.span.batch, 2);
    }
  }
}

}  // namespace
}  // namespace singa
