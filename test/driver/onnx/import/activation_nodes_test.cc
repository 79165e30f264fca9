// Tests imports of functions of one number, also of those that several nodes compute together.
#include <gtest/gtest.h>

#include <numbers>

#include "nn/neuron/activation.h"
#include "support/driver/imported_graph.h"

namespace singa::activation_nodes {
namespace {

// Returns a picture's graph whose value r is that of a ReLU.
OnnxGraph ReluGraph() {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"r"});
  return graph;
}

// Adds erf(r / sqrt(2)) + 1 as the value p.
void AddErfPlusOne(OnnxGraph* graph) {
  constexpr auto kRoot = static_cast<float>(std::numbers::sqrt2);
  graph->Add("Div", {"r", Constant(graph, {}, kRoot)}, {"s"});
  graph->Add("Erf", {"s"}, {"e"});
  graph->Add("Add", {"e", Constant(graph, {})}, {"p"});
}

TEST(ActivationNodes, KeepTheSlopeOfALeakyRelu) {
  OnnxGraph given = PictureGraph(), missing = PictureGraph();
  given.Add("LeakyRelu", {"x"}, {"y"}, {OnnxFloat("alpha", 0.25f)});
  EXPECT_EQ(LastLayerOf(&given).relu_conf().negative_slope(), 0.25f);
  missing.Add("LeakyRelu", {"x"}, {"y"});
  EXPECT_EQ(LastLayerOf(&missing).relu_conf().negative_slope(), 0.01f);
}

TEST(ActivationNodes, AClipAtZeroIsARelu) {
  OnnxGraph input = PictureGraph(), attribute = PictureGraph();
  input.Add("Clip", {"x", Constant(&input, {}, 0)}, {"y"});
  EXPECT_EQ(LastLayerOf(&input).type(), kReLU);
  attribute.Add("Clip", {"x"}, {"y"}, {OnnxFloat("min", 0)});
  EXPECT_EQ(LastLayerOf(&attribute).type(), kReLU);
}

TEST(ActivationNodes, AClipWithoutBoundsVanishes) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Clip", {"x"}, {"y"});
  EXPECT_EQ(ImportGraph(&graph).job.neuralnet().layer_size(), 1);
}

TEST(ActivationNodes, AreSigmoidAndTanh) {
  OnnxGraph sigmoid = PictureGraph(), tanh = PictureGraph();
  sigmoid.Add("Sigmoid", {"x"}, {"y"});
  EXPECT_EQ(LastLayerOf(&sigmoid).type(), kSigmoid);
  tanh.Add("Tanh", {"x"}, {"y"});
  EXPECT_EQ(LastLayerOf(&tanh).activation_conf().type(), TANH);
}

TEST(ActivationNodes, AScaledTanhOfAScaledValueIsOneLayer) {
  OnnxGraph graph = ReluGraph();
  graph.Add("Mul", {"r", Constant(&graph, {}, kSTanhB)}, {"s"});
  graph.Add("Tanh", {"s"}, {"t"});
  graph.Add("Mul", {"t", Constant(&graph, {}, kSTanhA)}, {"y"});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.type(), kSTanh);
  EXPECT_EQ(layer.srclayers(0), "r");
}

TEST(ActivationNodes, AProductWithItsOwnSigmoidIsSilu) {
  for (const OnnxNames& factors : {OnnxNames{"r", "s"}, OnnxNames{"s", "r"}}) {
    OnnxGraph graph = ReluGraph();
    graph.Add("Sigmoid", {"r"}, {"s"});
    graph.Add("Mul", factors, {"y"});
    const LayerProto layer = LastLayerOf(&graph);
    EXPECT_EQ(layer.activation_conf().type(), SILU);
    EXPECT_EQ(layer.srclayers(0), "r");
  }
}

TEST(ActivationNodes, AnErfWithItsFactorsIsGelu) {
  OnnxGraph halved_last = ReluGraph(), halved_first = ReluGraph();
  AddErfPlusOne(&halved_last);
  halved_last.Add("Mul", {"r", "p"}, {"g"});
  halved_last.Add("Mul", {"g", Constant(&halved_last, {}, 0.5f)}, {"y"});
  EXPECT_EQ(LastLayerOf(&halved_last).activation_conf().type(), GELU);
  AddErfPlusOne(&halved_first);
  halved_first.Add("Mul", {"r", Constant(&halved_first, {}, 0.5f)}, {"h"});
  halved_first.Add("Mul", {"p", "h"}, {"y"});
  EXPECT_EQ(LastLayerOf(&halved_first).activation_conf().type(), GELU);
}

TEST(ActivationNodes, AGeluOfOneNodeIsExact) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Gelu", {"x"}, {"y"}, {OnnxText("approximate", "none")});
  EXPECT_EQ(LastLayerOf(&graph).activation_conf().type(), GELU);
}

TEST(ActivationNodes, AWholeGeluKeepsItsLayerWhereASumScalesIt) {
  OnnxGraph several = ReluGraph(), one = ReluGraph();
  AddErfPlusOne(&several);
  several.Add("Mul", {"r", Constant(&several, {}, 0.5f)}, {"h"});
  several.Add("Mul", {"h", "p"}, {"g"});
  one.Add("Gelu", {"r"}, {"g"});
  for (auto* const graph : {&several, &one}) {
    graph->Add("Mul", {"g", Constant(graph, {}, 2)}, {"c"});
    graph->Add("Add", {"c", "r"}, {"y"});
    const NetProto net = ImportGraph(graph).job.neuralnet();
    ASSERT_EQ(net.layer_size(), 4);
    EXPECT_EQ(net.layer(2).activation_conf().type(), GELU);
    EXPECT_EQ(net.layer(3).type(), kEltwise);
    EXPECT_EQ(net.layer(3).srclayers(0), net.layer(2).name());
    ASSERT_EQ(net.layer(3).eltwise_conf().coeff_size(), 2);
    EXPECT_EQ(net.layer(3).eltwise_conf().coeff(0), 2);
    EXPECT_EQ(net.layer(3).eltwise_conf().coeff(1), 1);
  }
}

TEST(ActivationNodes, PartsOfAFunctionAreRefusedAsOutputs) {
  OnnxGraph erf = ReluGraph(), gelu = ReluGraph(), tanh = ReluGraph();
  AddErfPlusOne(&erf);
  erf.AddOutput("p", {"N"});
  erf.Add("Relu", {"r"}, {"y"});
  ExpectText(ImportRefusalOf(&erf), "(Add): computes a part of a function that no layer has");
  AddErfPlusOne(&gelu);
  gelu.Add("Mul", {"r", "p"}, {"y"});
  ExpectText(ImportRefusalOf(&gelu), "(Mul): computes a part of a function that no layer has");
  tanh.Add("Mul", {"r", Constant(&tanh, {}, 3)}, {"s"});
  tanh.Add("Tanh", {"s"}, {"y"});
  ExpectText(ImportRefusalOf(&tanh), "(Tanh): computes a part of a function that no layer has");
}

TEST(ActivationNodes, OtherFunctionsAreRefused) {
  ExpectRefusals({"N", 3, 8, 8},
                 {{"Clip",
                   {},
                   {OnnxFloat("min", 0), OnnxFloat("max", 5)},
                   "cuts values off at 0 and 5; layers cut them off at"},
                  {"Clip", {{2}}, {}, "has a bound that is no constant number"},
                  {"Erf", {}, {}, "only GELU, x / 2 (1 + erf(x / sqrt(2))), has a layer with erf"},
                  {"Gelu", {}, {OnnxText("approximate", "tanh")}, "approximates GELU by tanh"},
                  {"Gelu", {}, {OnnxInt("approximate", 1)}, "attribute approximate is no text"},
                  {"LeakyRelu", {}, {OnnxInt("alpha", 1)}, "attribute alpha is no float"}});
}

}  // namespace
}  // namespace singa::activation_nodes
