// Tests imports of sums, products and maxima, and of those that prepare the input.
#include <gtest/gtest.h>

#include <cmath>

#include "support/driver/imported_graph.h"

namespace singa::arithmetic_nodes {
namespace {

// Returns the input layer's store of a graph.
StoreProto StoreOf(OnnxGraph* graph) {
  return ImportGraph(graph).job.neuralnet().layer(0).store_conf();
}

TEST(ArithmeticNodes, JoinFeaturesByEachOperation) {
  const std::pair<const char*, EltwiseProto::Operation> cases[] = {
      {"Max", EltwiseProto::MAX}, {"Mul", EltwiseProto::PROD}, {"Sum", EltwiseProto::SUM}};
  for (const auto& [op, operation] : cases) {
    OnnxGraph graph = PictureGraph();
    graph.Add("Relu", {"x"}, {"r"});
    graph.Add(op, {"x", "r"}, {"y"});
    const LayerProto layer = LastLayerOf(&graph);
    EXPECT_EQ(layer.type(), kEltwise) << op;
    EXPECT_EQ(layer.eltwise_conf().operation(), operation) << op;
    EXPECT_EQ(layer.eltwise_conf().coeff_size(), 0) << op;
  }
}

TEST(ArithmeticNodes, OfOneInputVanish) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Sum", {"x"}, {"s"});
  graph.Add("Relu", {"s"}, {"y"});
  EXPECT_EQ(ImportGraph(&graph).job.neuralnet().layer_size(), 2);
}

TEST(ArithmeticNodes, AJoinThatOthersReadTooStaysALayer) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"r"});
  graph.Add("Add", {"x", "r"}, {"a"});
  graph.Add("Add", {"a", "r"}, {"y"});
  graph.AddOutput("a", {"N"});
  const NetProto net = ImportGraph(&graph).job.neuralnet();
  ASSERT_EQ(net.layer_size(), 4);
  EXPECT_EQ(net.layer(3).srclayers(0), "a");
}

TEST(ArithmeticNodes, AMatrixAndASumAreOneLayer) {
  OnnxGraph graph = GraphOf({"N", 4});
  graph.Add("MatMul", {"x", Constant(&graph, {4, 2})}, {"m"});
  graph.Add("Add", {Constant(&graph, {2}), "m"}, {"y"});
  const ImportedJob imported = ImportGraph(&graph);
  ASSERT_EQ(imported.job.neuralnet().layer_size(), 2);
  const LayerProto& layer = imported.job.neuralnet().layer(1);
  EXPECT_EQ(layer.innerproduct_conf().num_output(), 2);
  EXPECT_TRUE(layer.innerproduct_conf().transpose());
  EXPECT_TRUE(layer.innerproduct_conf().bias_term());
  ASSERT_EQ(imported.params.size(), 2u);
  EXPECT_EQ(imported.params[1].shape, Sizes{2});
}

TEST(ArithmeticNodes, AMatrixAloneHasNoBias) {
  OnnxGraph graph = GraphOf({"N", 4});
  graph.Add("MatMul", {"x", Constant(&graph, {4, 2})}, {"y"});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.type(), kInnerProduct);
  EXPECT_FALSE(layer.innerproduct_conf().bias_term());
  EXPECT_EQ(layer.param_size(), 1);
}

TEST(ArithmeticNodes, OneNumberPreparesAllChannels) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Sub", {"x", Constant(&graph, {}, 5)}, {"c"});
  graph.Add("Div", {"c", Constant(&graph, {}, 2)}, {"y"});
  const StoreProto store = StoreOf(&graph);
  EXPECT_EQ(store.mean_value(), 5);
  EXPECT_EQ(store.std_value(), 2);
}

TEST(ArithmeticNodes, NumbersForEachChannelPrepareTheInput) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Sub", {"x", Constant(&graph, {3, 1, 1}, 5)}, {"c"});
  graph.Add("Div", {"c", Constant(&graph, {}, 2)}, {"y"});
  const StoreProto store = StoreOf(&graph);
  ASSERT_EQ(store.channel_mean_size(), 3);
  EXPECT_EQ(store.channel_mean(2), 5);
  ASSERT_EQ(store.channel_std_size(), 3);
  EXPECT_EQ(store.channel_std(1), 2);
  EXPECT_FALSE(store.has_std_value());
}

TEST(ArithmeticNodes, ASecondDifferenceIsThatOfTheChannels) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Sub", {"x", Constant(&graph, {}, 5)}, {"c"});
  graph.Add("Sub", {"c", Constant(&graph, {}, 7)}, {"y"});
  const StoreProto store = StoreOf(&graph);
  EXPECT_EQ(store.mean_value(), 5);
  ASSERT_EQ(store.channel_mean_size(), 3);
  EXPECT_EQ(store.channel_mean(0), 7);
}

TEST(ArithmeticNodes, PrepareTheInputTwiceAtMost) {
  OnnxGraph differences = PictureGraph(), divisions = PictureGraph(), wide = GraphOf({"N", 65});
  for (auto* const graph : {&differences, &divisions}) {
    const char* const op = graph == &differences ? "Sub" : "Div";
    graph->Add(op, {"x", Constant(graph, {}, 5)}, {"a"});
    graph->Add(op, {"a", Constant(graph, {}, 5)}, {"b"});
    graph->Add(op, {"b", Constant(graph, {}, 5)}, {"y"});
    ExpectText(ImportRefusalOf(graph), "prepares the input a third time");
  }
  wide.Add("Sub", {"x", Constant(&wide, {}, 5)}, {"a"});
  wide.Add("Sub", {"a", Constant(&wide, {}, 5)}, {"y"});
  ExpectText(ImportRefusalOf(&wide), "prepares the input a second time");
}

TEST(ArithmeticNodes, RefuseNumbersThatCannotPrepareTheInput) {
  const auto refusal = [](const char* op, const std::vector<int64_t>& dims, float value) {
    OnnxGraph graph = PictureGraph();
    graph.Add(op, {"x", Constant(&graph, dims, value)}, {"y"});
    return ImportRefusalOf(&graph);
  };
  ExpectText(refusal("Div", {}, 0), "divides the input by 0");
  ExpectText(refusal("Sub", {}, NAN), "prepares the input with a number that is not finite");
  ExpectText(refusal("Sub", {8}, 1), "prepares the input with a constant of (8); the input layer");
}

TEST(ArithmeticNodes, RefuseConstantsThatNoLayerReads) {
  OnnxGraph bias = GraphOf({"N", 4}), zero = PictureGraph(), feature = PictureGraph();
  bias.Add("MatMul", {"x", Constant(&bias, {4, 2})}, {"m"});
  bias.Add("Add", {"m", Constant(&bias, {3})}, {"y"});
  ExpectText(ImportRefusalOf(&bias), "adds a constant of (3) to 2 outputs");
  zero.Add("Relu", {"x"}, {"r"});
  zero.Add("Div", {"r", Constant(&zero, {}, 0)}, {"y"});
  ExpectText(ImportRefusalOf(&zero), "must divide by one constant number that is not 0");
  feature.Add("Relu", {"x"}, {"r"});
  feature.Add("Div", {"x", "r"}, {"y"});
  ExpectText(ImportRefusalOf(&feature), "must divide by one constant number that is not 0");
}

TEST(ArithmeticNodes, RefuseFeaturesWhoseLayersDiffer) {
  OnnxGraph graph = PictureGraph();
  graph.Add("GlobalAveragePool", {"x"}, {"p"});
  graph.Add("Flatten", {"p"}, {"f"});
  graph.Add("Gemm", {"f", Constant(&graph, {3, 3})}, {"g"});
  graph.Add("Add", {"f", "g"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "joins features with rows of (3, 1, 1) and (3)");
}

}  // namespace
}  // namespace singa::arithmetic_nodes
