// Tests the pass FeedBack on graphs that are made by hand.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "nn/graph/graph.h"
#include "nn/graph/wiring_of.h"

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
  // Sets the wiring that FilterPhase takes from the layers.
  void TakeWiring() {
    for (GraphLayer& layer : graph_.layers) layer.wiring = WiringOf(layer.conf);
  }
  void SetWindow(int window) {
    graph_.layers[0].in.clear();  // of an earlier FeedBack
    graph_.layers[0].conf.mutable_rnn_dummy_conf()->set_window(window);
  }

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

TEST_F(FeedBackTest, LayersKeepTheTimeStepsOfTheSmallestTable) {
  AddSampler();
  Add("name: 'mix' type: kAttention carried_steps: 7", {1});
  Add("name: 'place' type: kPositionEmbedding position_embedding_conf { max_steps: 9 }", {1});
  Add("name: 'more' type: kPositionEmbedding position_embedding_conf { max_steps: 12 }", {1});
  TakeWiring();
  EXPECT_EQ(Errors(), "");
  for (const int i : {5, 6, 7}) EXPECT_EQ(layer(i).conf.carried_steps(), 9) << i;
  EXPECT_EQ(layer(2).conf.carried_steps(), 0);
  EXPECT_EQ(layer(0).conf.rnn_dummy_conf().window(), 9);
}

TEST_F(FeedBackTest, TheConfMaySayHowManyTimeStepsAreKept) {
  AddSampler();
  Add("name: 'mix' type: kAttention", {1});
  TakeWiring();
  EXPECT_EQ(Errors(),
            "layer[dummy].rnn_dummy_conf.window: must be set: layers of the net keep so many time "
            "steps\n");
  SetWindow(5);
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(layer(5).conf.carried_steps(), 5);
  Add("name: 'place' type: kPositionEmbedding position_embedding_conf { max_steps: 4 }", {1});
  TakeWiring();
  SetWindow(5);
  EXPECT_EQ(
      Errors(),
      "layer[dummy].rnn_dummy_conf.window: must be <= 4, the max_steps of layer \"place\", is "
      "5\n");
}

TEST_F(FeedBackTest, AWindowHasSteps) {
  for (const int window : {0, -1, 100001}) {
    graph_.layers.clear();
    AddSampler();
    SetWindow(window);
    EXPECT_EQ(Errors(), StrCat("layer[dummy].rnn_dummy_conf.window: must be from 1 to 100000, is ",
                               window, "\n"));
  }
}

TEST_F(FeedBackTest, ALayerThatReadsLaterStepsIsAnError) {
  AddSampler();
  Add("name: 'mix' type: kAttention attention_conf { causal: false }", {1});
  TakeWiring();
  SetWindow(5);
  EXPECT_EQ(Errors(),
            "layer[mix].attention_conf.causal: must read no later time steps: the net computes one "
            "step after the other\n");
}

TEST_F(FeedBackTest, WithoutADummyTheConfsStepsHaveNoEffect) {
  Add("name: 'data' type: kDummy");
  Add("name: 'mix' type: kAttention carried_steps: 7", {0});
  TakeWiring();
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(layer(1).conf.carried_steps(), 0);
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
