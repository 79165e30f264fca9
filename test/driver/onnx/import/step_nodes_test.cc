// Tests imports of nodes on states, masks and indices that mean something else than a layer does.
#include <gtest/gtest.h>

#include <limits>

#include "support/driver/imported_graph.h"

namespace singa::step_nodes {
namespace {

// Returns a graph with the input x, a text, and the output y.
OnnxGraph TextGraph() {
  OnnxGraph graph({"x", "y"});
  graph.AddInput("x", {"N", 5}, onnx::TensorProto::INT64);
  graph.AddOutput("y", {"N", 5, 2});
  return graph;
}

// Returns a graph with the input x, records of 5 time steps, the state h, and the time steps t.
OnnxGraph StateGraph() {
  OnnxGraph graph = GraphOf({"N", 5, 4});
  graph.AddInput("h", {1, "N", 2});
  graph.Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {1, 0, 2})});
  return graph;
}

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

// The import marks free sizes by such numbers.
TEST(StepNodes, TheLeastIntegersAreNoSizes) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  OnnxGraph input = GraphOf({"N", 4});
  input.Add("Reshape", {"x", input.Ints("sizes", {kLeast, 4})}, {"y"});
  ExpectText(ImportRefusalOf(&input), "input \"sizes\" has a number below all sizes");
  ExpectRefusals({"N", 4}, {{"Reshape",
                             {},
                             {OnnxInts("shape", {kLeast, 4})},
                             "attribute shape has a number below all sizes"}});
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

TEST(StepNodes, ALastStateThatANodeReadsIsAnOutput) {
  OnnxGraph graph = StateGraph();
  AddRecurrentNode("GRU", 3, {"h"}, {"all", "last"}, &graph);
  graph.Add("Squeeze", {"last", graph.Ints("axis", {0})}, {"y"});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.type(), kGRU);
  EXPECT_TRUE(layer.gru_conf().carry_state());
}

TEST(StepNodes, AnLstmCarriesBothStates) {
  OnnxGraph graph = StateGraph();
  AddRecurrentNode("LSTM", 4, {"h"}, {"y"}, &graph);
  ExpectText(ImportRefusalOf(&graph), "carries one of its two states");
}

TEST(StepNodes, TheCellsOfOneLstmDoNotBeginAnother) {
  OnnxGraph graph = StateGraph();
  graph.AddInput("c", {1, "N", 2});
  AddRecurrentNode("LSTM", 4, {"h", "c"}, {"a", "ah", "ac"}, &graph);
  AddRecurrentNode("LSTM", 4, {"h", "ac"}, {"y"}, &graph);
  ExpectText(ImportRefusalOf(&graph), "begins with the last cells of another layer");
}

TEST(StepNodes, IndicesStayIndices) {
  OnnxGraph graph = TextGraph();
  graph.Add("Cast", {"x"}, {"c"}, {OnnxInt("to", onnx::TensorProto::BOOL)});
  graph.Add("Gather", {Constant(&graph, {3, 2}), "c"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "turns indices into numbers of another kind");
}

TEST(StepNodes, PaddingReadsTheLastRowOfZerosAlone) {
  const auto choose = [](int64_t row, OnnxGraph* graph) {
    std::vector<float> table = {1, 2, 3, 4, 0, 0};
    graph->Add("Less", {"x", graph->Ints("zero", {0})}, {"p"});
    graph->Add("Where", {"p", graph->Ints("row", {row}), "x"}, {"w"});
    graph->Add("Gather", {graph->Floats("table", {3, 2}, table), "w"}, {"y"});
  };
  OnnxGraph last = TextGraph(), other = TextGraph();
  choose(2, &last);
  EXPECT_EQ(LastLayerOf(&last).embedding_conf().vocab_size(), 2);
  choose(1, &other);
  ExpectText(ImportRefusalOf(&other), "gives padding a row that is not the last, of zeros");
}

}  // namespace
}  // namespace singa::step_nodes
