// Tests the pass Order on graphs that are made by hand.
#include <gtest/gtest.h>

#include "nn/graph/graph.h"

namespace singa {
namespace {

class OrderTest : public ::testing::Test {
 protected:
  // Adds layer `name` with a node for each of `steps` time steps. Its output is the value of its
  // index.
  void Add(const std::string& name, int steps = 1) {
    const int index = static_cast<int>(graph_.layers.size());
    GraphLayer& layer = graph_.layers.emplace_back();
    layer.conf.set_name(name);
    layer.path = "layer[" + name + "]";
    graph_.values.push_back({index, steps});
    for (int t = 0; t < steps; ++t)
      graph_.nodes.push_back({index, t, {}, {{.value = index, .first_step = t}}});
  }
  // Has all nodes of layer `reader` read `steps` steps of layer `source`.
  Read* Link(int reader, int source, int first_step = 0, int steps = 1) {
    graph_.layers[reader].conf.add_srclayers(graph_.layers[source].conf.name());
    Read* last = nullptr;
    for (Node& node : graph_.nodes)
      if (node.layer == reader) {
        node.in.push_back({.value = source, .first_step = first_step, .steps = steps});
        last = &node.in.back();
      }
    return last;
  }
  // Runs the pass. Returns the layers and steps in order: "a0 b0 b1".
  std::string Ordered() {
    Order(&graph_, &errors_);
    std::string text;
    for (const Node& node : graph_.nodes)
      text += StrCat(text.empty() ? "" : " ", graph_.layers[node.layer].conf.name(), node.step);
    return text;
  }
  std::string Error() {
    Order(&graph_, &errors_);
    return errors_.size() == 1 ? errors_[0].path() + ": " + errors_[0].message() : "";
  }

  Graph graph_;
  ConfigErrors errors_;
};

TEST_F(OrderTest, AReaderComesAfterItsSources) {
  for (const char* name : {"c", "b", "a"}) Add(name);
  Link(0, 1);
  Link(1, 2);
  EXPECT_EQ(Ordered(), "a0 b0 c0");
  EXPECT_TRUE(errors_.empty());
}

TEST_F(OrderTest, LayersThatMayGoFirstKeepTheOrderOfTheConf) {
  for (const char* name : {"c", "d", "a", "b"}) Add(name);
  Link(1, 3);
  EXPECT_EQ(Ordered(), "c0 a0 b0 d0");
}

TEST_F(OrderTest, AReaderOfOneStepWaitsForThatStepAlone) {
  Add("reader");
  Add("source", 3);
  Link(0, 1, 1);
  EXPECT_EQ(Ordered(), "source0 source1 reader0 source2");
}

TEST_F(OrderTest, AReaderOfAllStepsWaitsForTheLast) {
  Add("reader");
  Add("source", 3);
  Link(0, 1, 0, 3);
  EXPECT_EQ(Ordered(), "source0 source1 source2 reader0");
}

TEST_F(OrderTest, WhatIsReadBackOrdersNothing) {
  Add("dummy");
  Add("fc");
  Link(1, 0);
  Link(0, 1)->feedback = true;
  EXPECT_EQ(Ordered(), "dummy0 fc0");
  EXPECT_TRUE(errors_.empty());
}

TEST_F(OrderTest, ACycleIsToldFromTheLayerThatReadsIntoIt) {
  for (const char* name : {"data", "a", "b", "c"}) Add(name);
  Link(1, 0);
  Link(1, 3);
  Link(2, 1);
  Link(3, 2);
  EXPECT_EQ(Error(), "layer[a].srclayers#1: layers form a cycle: a -> b -> c -> a");
}

TEST_F(OrderTest, ALayerThatReadsItselfIsACycle) {
  Add("a");
  Link(0, 0);
  EXPECT_EQ(Error(), "layer[a].srclayers: layers form a cycle: a -> a");
}

TEST_F(OrderTest, ALayerBehindACycleIsNotInItsText) {
  for (const char* name : {"behind", "a", "b"}) Add(name);
  Link(0, 1);
  Link(1, 2);
  Link(2, 1);
  const std::string error = Error();
  EXPECT_NE(error.find("layers form a cycle"), std::string::npos) << error;
  EXPECT_EQ(error.find("behind"), std::string::npos) << error;
}

TEST_F(OrderTest, LayersThatTheConfDoesNotNameAreLeftOutOfACycle) {
  for (const char* name : {"split", "a", "b"}) Add(name);
  graph_.layers[0].inserted = true;
  Link(1, 0);
  Link(0, 2);
  Link(2, 1);
  const std::string error = Error();
  EXPECT_NE(error.find("layers form a cycle"), std::string::npos) << error;
  EXPECT_EQ(error.find("split"), std::string::npos) << error;
}

TEST_F(OrderTest, ASourceMayNameAnOutput) {
  for (const char* name : {"a", "b"}) Add(name);
  Link(0, 1);
  Link(1, 0);
  graph_.layers[0].conf.set_srclayers(0, "bb:0");
  graph_.layers[0].conf.add_srclayers("b:1");
  EXPECT_EQ(Error(), "layer[a].srclayers#1: layers form a cycle: a -> b -> a");
}

TEST_F(OrderTest, ACycleLeavesTheNodesAsTheyAre) {
  for (const char* name : {"c", "a", "b"}) Add(name);
  Link(1, 2);
  Link(2, 1);
  EXPECT_EQ(Ordered(), "c0 a0 b0");
}

}  // namespace
}  // namespace singa
