// Tests imports of nodes on states, masks and indices that mean something else than a layer does.
#include <gtest/gtest.h>

#include "support/driver/imported_graph.h"

namespace singa::step_nodes {
namespace {

// Adds a layer of 2 units that begins with these states.
void AddRecurrentNode(const std::string& op, int64_t gates, const OnnxNames& states,
                      const OnnxNames& outputs, OnnxGraph* graph) {
  OnnxNames in = {"t", Constant(graph, {1, gates * 2, 4}), Constant(graph, {1, gates * 2, 2}), "",
                  ""};
  in.insert(in.end(), states.begin(), states.end());
  OnnxAttributes attributes = {OnnxInt("hidden_size", 2)};
  if (op == "GRU") attributes.push_back(OnnxInt("linear_before_reset", 1));
  graph->Add(op, in, outputs, attributes);
}

// A fill of no numbers, cut into sizes, ended the program by a division by 0.
TEST(StepNodes, AnEmptyFillIsRefused) {
  for (const int64_t size : {0, -5}) {
    OnnxGraph graph = GraphOf({"N", 4});
    graph.Add("ConstantOfShape", {graph.Ints("empty", {size})}, {"f"});
    graph.Add("Reshape", {"f", graph.Ints("sizes", {1})}, {"r"});
    graph.Add("Relu", {"x"}, {"y"});
    ExpectText(ImportRefusalOf(&graph), "which is empty or too large");
  }
}

TEST(StepNodes, ATableOfEmptyRowsIsRefused) {
  OnnxGraph graph = GraphOf({"N", 4});
  graph.Add("Slice", {Constant(&graph, {2, 0}), graph.Ints("from", {0}), graph.Ints("to", {1})},
            {"s"});
  graph.Add("Reshape", {"s", graph.Ints("sizes", {1})}, {"r"});
  graph.Add("Relu", {"x"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "has a table of empty rows");
}

// A search of all nodes for each input took minutes.
TEST(StepNodes, ManyStatesAreReadInTime) {
  OnnxGraph graph = GraphOf({"N", 5, 4});
  OnnxNames states;
  for (int i = 0; i < 50000; ++i) {
    states.push_back(StrCat("h", i));
    graph.AddInput(states.back(), {1});
  }
  graph.Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {1, 0, 2})});
  AddRecurrentNode("GRU", 3, states, {"y"}, &graph);
  ExpectText(ImportRefusalOf(&graph), "has lengths of sequences, or peepholes");
}

}  // namespace
}  // namespace singa::step_nodes
