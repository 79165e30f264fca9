// Tests the pass FeedBack on graphs that are made by hand.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "nn/graph/graph.h"

namespace singa {
namespace {

class FeedBackTest : public ::testing::Test {
 protected:
  // Adds a layer of `conf` that reads `sources`.
  GraphLayer* Add(const std::string& conf, const std::vector<int>& sources = {}) {
    GraphLayer& layer = graph_.layers.emplace_back();
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(conf, &layer.conf)) << conf;
    layer.path = "layer[" + layer.conf.name() + "]";
    for (const int source : sources) layer.in.push_back({.source = source});
    return &layer;
  }
  // Adds the layers of SINGA 0.3's sample.conf, 0 to 4.
  void AddSampler() {
    Add("name: 'dummy' type: kRNNDummy rnn_dummy_conf { dynamic_srclayer: 'best' }");
    Add("name: 'onehot' type: kOneHot", {0});
    Add("name: 'gru' type: kGRU", {1});
    Add("name: 'fc' type: kInnerProduct innerproduct_conf { num_output: 101 }", {2});
    Add("name: 'best' type: kArgSort", {3});
  }
  std::string Errors() {
    ConfigErrors errors;
    FeedBack({net_, kTest, ""}, &graph_, &errors);
    std::string lines;
    for (const ConfigError& error : errors) lines += error.path() + ": " + error.message() + "\n";
    return lines;
  }
  const GraphLayer& layer(int i) const { return graph_.layers[i]; }

  NetProto net_;
  Graph graph_;
};

TEST_F(FeedBackTest, ADummyReadsItsLayerOneBatchLate) {
  AddSampler();
  EXPECT_EQ(Errors(), "");
  ASSERT_EQ(layer(0).in.size(), 1u);
  EXPECT_EQ(layer(0).in[0].source, 4);
  EXPECT_TRUE(layer(0).in[0].feedback);
  EXPECT_TRUE(layer(0).in[0].delayed);
}

TEST_F(FeedBackTest, RecurrentLayersCarryTheirState) {
  AddSampler();
  Add("name: 'lstm' type: kLSTM", {1});
  Add("name: 'rnn' type: kRNN", {1});
  EXPECT_EQ(Errors(), "");
  EXPECT_TRUE(layer(2).conf.gru_conf().carry_state());
  EXPECT_TRUE(layer(5).conf.lstm_conf().carry_state());
  EXPECT_TRUE(layer(6).conf.rnn_conf().carry_state());
}

TEST_F(FeedBackTest, ALayerThatKeepsNoEarlierStepsIsAnError) {
  Add("name: 'mix' type: kAttention", {0});
  EXPECT_EQ(Errors(), "");  // no layer reads its own output
  graph_.layers.clear();
  AddSampler();
  Add("name: 'mix' type: kAttention", {1});
  Add("name: 'place' type: kPositionEmbedding", {1});
  EXPECT_EQ(
      Errors(),
      "layer[mix].type: kAttention must not be in a net that reads its own output (kRNNDummy): "
      "it would see one time step and none before\n"
      "layer[place].type: kPositionEmbedding must not be in a net that reads its own output "
      "(kRNNDummy): it would see one time step and none before\n");
}

TEST_F(FeedBackTest, TheConfMaySayThatNoStateIsCarried) {
  AddSampler();
  graph_.layers[2].conf.mutable_gru_conf()->set_carry_state(false);
  EXPECT_EQ(Errors(), "");
  EXPECT_FALSE(layer(2).conf.gru_conf().carry_state());
}

TEST_F(FeedBackTest, ALayerThatGetsItsStateFromAnotherStaysAsItIs) {
  AddSampler();
  Add("name: 'decoder' type: kGRU", {1, 2});
  EXPECT_EQ(Errors(), "");
  EXPECT_FALSE(layer(5).conf.gru_conf().has_carry_state());
}

TEST_F(FeedBackTest, OneHotHasAsManyWordsAsThereAreScores) {
  AddSampler();
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(layer(1).conf.onehot_conf().vocab_size(), 101);
}

TEST_F(FeedBackTest, AVocabularyThatTheConfSaysStays) {
  AddSampler();
  graph_.layers[1].conf.mutable_onehot_conf()->set_vocab_size(7);
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(layer(1).conf.onehot_conf().vocab_size(), 7);
}

TEST_F(FeedBackTest, ANetWithoutADummyStaysAsItIs) {
  Add("name: 'data' type: kDummy");
  Add("name: 'gru' type: kGRU", {0});
  EXPECT_EQ(Errors(), "");
  EXPECT_FALSE(layer(1).conf.gru_conf().has_carry_state());
}

TEST_F(FeedBackTest, ADummyOfNoLayerReadsNothing) {
  Add("name: 'dummy' type: kRNNDummy");
  EXPECT_EQ(Errors(), "");
  EXPECT_TRUE(layer(0).in.empty());
}

TEST_F(FeedBackTest, ADummyHasNoSources) {
  AddSampler();
  graph_.layers[0].in.push_back({.source = 2});
  EXPECT_EQ(Errors(),
            "layer[dummy].srclayers: must be none: dynamic_srclayer names what it reads\n");
  EXPECT_TRUE(layer(0).faulty);
}

TEST_F(FeedBackTest, TheLayerThatIsReadBackMustExist) {
  AddSampler();
  graph_.layers[0].conf.mutable_rnn_dummy_conf()->set_dynamic_srclayer("bset");
  EXPECT_EQ(Errors(),
            "layer[dummy].rnn_dummy_conf.dynamic_srclayer: no layer \"bset\" in this phase; did "
            "you mean \"best\"?\n");
}

TEST_F(FeedBackTest, TheLayerThatIsReadBackHasOneOutput) {
  AddSampler();
  graph_.layers[4].wiring.num_outputs = 2;
  EXPECT_EQ(Errors(),
            "layer[dummy].rnn_dummy_conf.dynamic_srclayer: layer \"best\" must have one output, "
            "has 2\n");
}

TEST_F(FeedBackTest, TheLayerThatIsReadBackIsComputedFromTheDummy) {
  AddSampler();
  graph_.layers[1].in.clear();
  EXPECT_EQ(Errors(),
            "layer[dummy].rnn_dummy_conf.dynamic_srclayer: must be a layer that is computed from "
            "this one, \"best\" is not\n");
}

}  // namespace
}  // namespace singa
