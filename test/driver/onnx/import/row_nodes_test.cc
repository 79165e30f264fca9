// Tests imports of operators on rows.
#include <gtest/gtest.h>

#include "support/driver/imported_graph.h"

namespace singa::row_nodes {
namespace {

TEST(RowNodes, AGemmIsAnInnerProduct) {
  OnnxGraph stored = GraphOf({"N", 4}), turned = GraphOf({"N", 4});
  stored.Add("Gemm", {"x", Constant(&stored, {2, 4}), Constant(&stored, {2})}, {"y"},
             {OnnxInt("transB", 1)});
  const LayerProto with_bias = LastLayerOf(&stored);
  EXPECT_EQ(with_bias.innerproduct_conf().num_output(), 2);
  EXPECT_FALSE(with_bias.innerproduct_conf().transpose());
  EXPECT_EQ(with_bias.param_size(), 2);
  turned.Add("Gemm", {"x", Constant(&turned, {4, 2})}, {"y"});
  const LayerProto without = LastLayerOf(&turned);
  EXPECT_TRUE(without.innerproduct_conf().transpose());
  EXPECT_FALSE(without.innerproduct_conf().bias_term());
}

TEST(RowNodes, OneMatrixOfTwoLayersIsShared) {
  OnnxGraph graph = GraphOf({"N", 4});
  const std::string matrix = Constant(&graph, {4, 4});
  graph.Add("Gemm", {"x", matrix}, {"g"});
  graph.Add("Gemm", {"g", matrix}, {"y"});
  const ImportedJob imported = ImportGraph(&graph);
  EXPECT_EQ(imported.params.size(), 1u);
  EXPECT_EQ(imported.job.neuralnet().layer(2).param(0).share_from(), matrix);
}

TEST(RowNodes, ProductsThatNoLayerComputesAreRefused) {
  ExpectRefusals({"N", 4},
                 {{"Gemm", {{4, 2}}, {OnnxFloat("alpha", 2)}, "has alpha, beta or transA"},
                  {"Gemm", {{4, 2}}, {OnnxInt("alpha", 1)}, "attribute alpha is no float"},
                  {"Gemm", {{4, 2}, {3}}, {}, "has 2 outputs, and a bias of (3)"},
                  {"Gemm", {{4, 2}, {2, 1}}, {}, "has 2 outputs, and a bias of (2, 1)"},
                  {"Gemm", {{5, 2}}, {}, "multiplies (N, 4) by a matrix of 5 inputs"},
                  {"Gemm", {{8}}, {}, "multiplies by a constant of (8), which is no matrix"}});
  OnnxGraph graph = GraphOf({"N", 4});
  graph.Add("MatMul", {Constant(&graph, {4, 4}), "x"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "multiplies a constant by a feature");
}

TEST(RowNodes, ALayerNormalizationIsOfWholeRows) {
  OnnxGraph rows = GraphOf({"N", 4}), pictures = PictureGraph();
  rows.Add("LayerNormalization", {"x", Constant(&rows, {4}), Constant(&rows, {4})}, {"y"},
           {OnnxFloat("epsilon", 0.5f)});
  const LayerProto layer = LastLayerOf(&rows);
  EXPECT_EQ(layer.type(), kLayerNorm);
  EXPECT_EQ(layer.layer_norm_conf().epsilon(), 0.5f);
  EXPECT_EQ(layer.param_size(), 2);
  pictures.Add("LayerNormalization",
               {"x", Constant(&pictures, {3, 8, 8}), Constant(&pictures, {3, 8, 8})}, {"y"},
               {OnnxInt("axis", 1)});
  EXPECT_EQ(LastLayerOf(&pictures).type(), kLayerNorm);
}

TEST(RowNodes, OtherLayerNormalizationsAreRefused) {
  const std::string op = "LayerNormalization";
  ExpectRefusals({"N", 4}, {{op, {{4}}, {}, "has no shift (B), which the layer has"},
                            {op, {{4}, {3}}, {}, "has 4 units, and a constant of (3)"},
                            {op, {{4}, {4}}, {OnnxFloat("epsilon", -1)}, "epsilon must be > 0"},
                            {op, {{4}, {4}}, {OnnxInt("axis", 7)}, "axis 7 is none of the 2"}});
  ExpectRefusals({"N", 3, 8, 8},
                 {{op, {{8}, {8}}, {}, "normalises dimensions from 3 on of (N, 3"}});
}

TEST(RowNodes, ARowMayHaveSeveralSoftmaxes) {
  OnnxGraph graph = GraphOf({"N", 3, 4});
  graph.Add("Softmax", {"x"}, {"y"});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.type(), kSoftmax);
  EXPECT_EQ(layer.softmax_conf().num_softmax_per_instance(), 3);
}

TEST(RowNodes, ASoftmaxOverAnotherDimensionIsRefused) {
  ExpectRefusals({"N", 3, 4},
                 {{"Softmax", {}, {OnnxInt("axis", 1)}, "is over dimension 1 of (N, 3, 4)"},
                  {"Softmax", {}, {OnnxInt("axis", 0)}, "is over dimension 0 of (N, 3, 4)"}});
}

// Before opset 13 a softmax was over all sizes from its axis on.
TEST(RowNodes, ASoftmaxOfAnOldModelIsOverTheRestOfTheRow) {
  OnnxGraph graph = GraphOf({"N", 3, 4});
  graph.Add("Softmax", {"x"}, {"y"});
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(graph.Serialize("net")));
  model.mutable_opset_import(0)->set_version(12);
  const NetProto net = ImportBytes(model.SerializeAsString()).job.neuralnet();
  EXPECT_EQ(net.layer(1).type(), kSoftmax);
  EXPECT_FALSE(net.layer(1).has_softmax_conf());
}

TEST(RowNodes, ASoftmaxOfAnOldModelOverSequencesIsRefused) {
  OnnxGraph graph = GraphOf({"N", 5, 4});
  graph.Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {1, 0, 2})});
  graph.Add("Unsqueeze", {"t"}, {"u"}, {OnnxInts("axes", {1})});
  graph.Add("Softmax", {"u"}, {"y"});
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(graph.Serialize("net")));
  model.mutable_opset_import(0)->set_version(11);
  ExpectText(ImportRefusalOf(model.SerializeAsString()), "is over dimension 1 of (T, 1, N, 4)");
}

}  // namespace
}  // namespace singa::row_nodes
