// Tests the pass Unroll on graphs that are made by hand.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "nn/graph/graph.h"

namespace singa {
namespace {

class UnrollTest : public ::testing::Test {
 protected:
  UnrollTest() { net_.set_unroll_len(3); }

  // Adds a layer that `conf` describes. It reads `sources`, which conf.srclayers names.
  GraphLayer* Add(const std::string& conf, const std::vector<int>& sources = {}) {
    GraphLayer& layer = graph_.layers.emplace_back();
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(conf, &layer.conf)) << conf;
    layer.path = "layer[" + layer.conf.name() + "]";
    for (const int source : sources) {
      Link link;
      link.source = source;
      layer.in.push_back(link);
      if (layer.conf.srclayers_size() < static_cast<int>(sources.size()))
        layer.conf.add_srclayers(graph_.layers[source].conf.name());
    }
    return &layer;
  }
  // Adds an input with `outputs` time steps, of which the last `ahead` are beyond its readers'.
  void AddText(int outputs, int ahead = 0) {
    GraphLayer* const text = Add("name: 'text'");
    text->wiring.num_outputs = outputs;
    text->wiring.outputs_are_steps = true;
    text->wiring.steps_ahead = ahead;
    text->wiring.steps_field = "char_rnn_conf.unroll_len";
  }
  // Runs the pass. Returns its errors, one a line.
  std::string Errors() {
    ConfigErrors errors;
    Unroll(net_, &graph_, &errors);
    std::string lines;
    for (const ConfigError& error : errors) lines += error.path() + ": " + error.message() + "\n";
    return lines;
  }
  const GraphLayer& layer(int i) const { return graph_.layers[i]; }
  const Link& link(int i, int slot = 0) const { return graph_.layers[i].in[slot]; }

  NetProto net_;
  Graph graph_;
};

TEST_F(UnrollTest, ALayerHasTheStepsOfTheNetUnlessItSaysOtherwise) {
  Add("name: 'a'");
  Add("name: 'b' unroll_len: 2");
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(layer(0).steps, 3);
  EXPECT_EQ(layer(0).conf.unroll_len(), 3);
  EXPECT_EQ(layer(1).steps, 2);
}

TEST_F(UnrollTest, StepsAreFromOneTo100000) {
  Add("name: 'a' unroll_len: 0");
  Add("name: 'b' unroll_len: 100001");
  Add("name: 'c' unroll_len: 100000");
  EXPECT_EQ(Errors(),
            "layer[a].unroll_len: must be from 1 to 100000, is 0\n"
            "layer[b].unroll_len: must be from 1 to 100000, is 100001\n");
  EXPECT_TRUE(layer(0).faulty);
  EXPECT_FALSE(layer(2).faulty);
}

TEST_F(UnrollTest, AConnectionSaysWhichStepsALayerReads) {
  Add("name: 'a'");
  for (const char* type : {"kUnrollOneToOne", "kUnrollOneToAll", "kUnrollFirstToLast"})
    Add(std::string("name: 'b' unroll_conn_type: ") + type, {0});
  Add("name: 'c'", {0});
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(link(1).kind, Link::kSameStep);
  EXPECT_EQ(link(2).kind, Link::kAllSteps);
  EXPECT_EQ(link(3).kind, Link::kLastToFirst);
  EXPECT_EQ(link(4).kind, Link::kSameStep);
}

TEST_F(UnrollTest, ACustomizedConnectionIsNotBuiltYet) {
  Add("name: 'a'");
  Add("name: 'b' unroll_conn_type: kUnrollOneToOne unroll_conn_type: kUnrollCustomized", {0, 0});
  EXPECT_EQ(Errors(),
            "layer[b].unroll_conn_type#1: kUnrollCustomized is not built yet; allowed: "
            "kUnrollOneToOne, kUnrollOneToAll, kUnrollFirstToLast\n");
}

TEST_F(UnrollTest, EachSourceHasItsShift) {
  Add("name: 'a'");
  Add("name: 'b' shift: 0 shift: 2", {0, 0});
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(link(1, 0).shift, 0);
  EXPECT_EQ(link(1, 1).shift, 2);
}

TEST_F(UnrollTest, AShiftIsNotNegative) {
  Add("name: 'a'");
  Add("name: 'b' shift: -1", {0});
  EXPECT_EQ(Errors(), "layer[b].shift: must be >= 0, is -1\n");
}

TEST_F(UnrollTest, ConnectionsAndShiftsAreOneForEachSource) {
  Add("name: 'a'");
  Add("name: 'b' shift: 0 shift: 0", {0});
  Add("name: 'c' unroll_conn_type: kUnrollOneToOne unroll_conn_type: kUnrollOneToOne", {0});
  EXPECT_EQ(Errors(),
            "layer[b].shift#1: one for each of the 1 srclayers, has 2\n"
            "layer[c].unroll_conn_type#1: one for each of the 1 srclayers, has 2\n");
}

TEST_F(UnrollTest, ARecurrentLayerReadsItsOutputAndStatesOfTheStepBefore) {
  Add("name: 'a'");
  GraphLayer* const lstm = Add("name: 'b'", {0});
  lstm->wiring.recurrent = true;
  lstm->wiring.num_outputs = 2;
  lstm->wiring.state_outputs = 1;
  EXPECT_EQ(Errors(), "");
  ASSERT_EQ(layer(1).in.size(), 3u);
  EXPECT_EQ(link(1, 1).kind, Link::kPrevious);
  EXPECT_EQ(link(1, 1).source, 1);
  EXPECT_EQ(link(1, 1).output, 0);
  EXPECT_EQ(link(1, 2).kind, Link::kPrevious);
  EXPECT_EQ(link(1, 2).output, 2);
}

TEST_F(UnrollTest, ARecurrentLayerOfOneStepReadsNoStepBefore) {
  Add("name: 'a' unroll_len: 1")->wiring.recurrent = true;
  EXPECT_EQ(Errors(), "");
  EXPECT_TRUE(layer(0).in.empty());
}

TEST_F(UnrollTest, AStepReadsTheOutputOfItsNumber) {
  AddText(3);
  Add("name: 'b' unroll_conn_type: kUnrollOneToAll", {0});
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(layer(0).steps, 1);
  EXPECT_EQ(link(1).kind, Link::kSameStep);
}

TEST_F(UnrollTest, ALayerWhoseOutputsAreStepsHasOneItself) {
  AddText(3);
  graph_.layers[0].conf.set_unroll_len(3);
  EXPECT_EQ(Errors(),
            "layer[text].unroll_len: must be 1 or unset: one pass of the layer gives all time "
            "steps; is 3\n");
}

TEST_F(UnrollTest, OutputsThatAreStepsAreReadWithoutANumber) {
  AddText(3);
  Add("name: 'b' srclayers: 'text:1'", {0});
  EXPECT_EQ(Errors(),
            "layer[b].srclayers: must be \"text\", whose outputs are the time steps, without a "
            "number; is \"text:1\"\n");
}

TEST_F(UnrollTest, OutputsThatAreStepsAreReadInTheirOrder) {
  AddText(3);
  Add("name: 'b' unroll_conn_type: kUnrollFirstToLast", {0});
  Add("name: 'c' shift: 1", {0});
  EXPECT_EQ(Errors(),
            "layer[b].unroll_conn_type: must be kUnrollOneToOne or kUnrollOneToAll for source "
            "\"text\", whose outputs are the time steps, is kUnrollFirstToLast\n"
            "layer[c].shift: must be 0 for source \"text\", whose outputs are the time steps, is "
            "1\n");
}

TEST_F(UnrollTest, AReaderThatDiffersFromTheNetIsAtFault) {
  AddText(3);
  Add("name: 'b' unroll_len: 2", {0});
  EXPECT_EQ(Errors(), "layer[b].unroll_len: must be 3, the time steps of source \"text\", is 2\n");
  EXPECT_TRUE(layer(1).faulty);
}

TEST_F(UnrollTest, ElseTheSourceIsAtFault) {
  AddText(5, 1);
  Add("name: 'b'", {0});
  EXPECT_EQ(Errors(),
            "layer[text].char_rnn_conf.unroll_len: must be 3, the unroll_len of layer \"b\", which "
            "reads it; is 4\n");
  EXPECT_TRUE(layer(0).faulty);
  EXPECT_FALSE(layer(1).faulty);
}

TEST_F(UnrollTest, ALabelNeedsAStepAhead) {
  AddText(3);
  Add("name: 'b'", {0})->wiring.step_shift = 1;
  EXPECT_EQ(Errors(),
            "layer[b].srclayers: source \"text\" must give 1 more time step than its readers "
            "have (time_steps_conf.ahead), gives 0\n");
}

TEST_F(UnrollTest, ALabelReadsTheInput) {
  Add("name: 'a'");
  Add("name: 'b'", {0})->wiring.step_shift = 1;
  EXPECT_EQ(Errors(),
            "layer[b].srclayers: source \"a\" gives no step behind the last: it must be the "
            "input layer that reads the text\n");
}

TEST_F(UnrollTest, LayersBelowTimeStepsHaveWholeRecords) {
  Add("name: 'data'");
  Add("name: 'parse'", {0});
  GraphLayer* const steps = Add("name: 'steps'", {1});
  steps->wiring.outputs_are_steps = true;
  steps->wiring.num_outputs = 3;
  Add("name: 'fc'", {2});
  EXPECT_EQ(Errors(), "");
  EXPECT_EQ(layer(0).steps, 1);
  EXPECT_EQ(layer(1).steps, 1);
  EXPECT_EQ(layer(3).steps, 3);
}

TEST_F(UnrollTest, ALayerBelowTimeStepsMayNotBeUnrolled) {
  Add("name: 'data' unroll_len: 2");
  GraphLayer* const steps = Add("name: 'steps'", {0});
  steps->wiring.outputs_are_steps = true;
  steps->wiring.num_outputs = 3;
  EXPECT_EQ(Errors(),
            "layer[data].unroll_len: must be 1: layer \"steps\" makes time steps of whole records; "
            "is 2\n");
}

TEST_F(UnrollTest, ALayerThatIsReadBackHasOneStep) {
  Add("name: 'fc'");
  Add("name: 'dummy' unroll_len: 1")
      ->in.push_back({.source = 0, .feedback = true, .delayed = true});
  EXPECT_EQ(Errors(),
            "layer[dummy].rnn_dummy_conf.dynamic_srclayer: layer \"fc\" must have one time step, "
            "has 3\n");
}

TEST_F(UnrollTest, AFaultyLayerIsNotCheckedFurther) {
  AddText(3);
  graph_.layers[0].faulty = true;
  Add("name: 'b' unroll_len: 2", {0});
  Add("name: 'c' unroll_len: 0")->faulty = true;
  EXPECT_EQ(Errors(), "");
}

}  // namespace
}  // namespace singa
