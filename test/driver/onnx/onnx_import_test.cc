// Tests imports of models that this test builds. test/system/onnx_import_checks.py tests the
// command.
#include <gtest/gtest.h>

#include "driver/onnx/import/job_import.h"
#include "driver/onnx/import/node_import.h"
#include "driver/onnx/onnx_graph.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns a graph with the input x, (N, 3, 8, 8), and the output y.
OnnxGraph PictureGraph() {
  OnnxGraph graph({"x", "y"});
  graph.AddInput("x", {"N", 3, 8, 8});
  graph.AddOutput("y", {"N", 3, 8, 8});
  return graph;
}

ImportedJob ImportGraph(OnnxGraph* graph, const ImportOptions& options = {.loss = "none"}) {
  const std::string bytes = graph->Serialize("net");
  TensorValues tensors("net.onnx");
  const OnnxModel model = ReadOnnxModel(std::as_bytes(std::span(bytes)), "net.onnx");
  return ImportJob(model, "net.onnx", options, &tensors);
}

std::string ImportRefusalOf(OnnxGraph* graph) {
  try {
    ImportGraph(graph);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

void ExpectText(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(OnnxImport, MakesALayerOfEachNode) {
  OnnxGraph graph = PictureGraph();
  const std::vector<float> filters(81, 0.5f);
  graph.Add("Conv", {"x", graph.Floats("w", {3, 3, 3, 3}, filters)}, {"c"},
            {OnnxInts("pads", {1, 1, 1, 1})});
  graph.Add("Relu", {"c"}, {"y"});
  const ImportedJob imported = ImportGraph(&graph);
  const NetProto& net = imported.job.neuralnet();
  ASSERT_EQ(net.layer_size(), 3);
  EXPECT_EQ(net.layer(0).name(), "x");
  EXPECT_EQ(net.layer(1).type(), kConvolution);
  EXPECT_EQ(net.layer(1).convolution_conf().num_filters(), 3);
  EXPECT_EQ(net.layer(1).convolution_conf().pad(), 1);
  EXPECT_FALSE(net.layer(1).convolution_conf().bias_term());
  EXPECT_EQ(net.layer(1).param(0).name(), "w");
  EXPECT_EQ(net.layer(2).srclayers(0), "c");
  ASSERT_EQ(imported.params.size(), 1u);
  EXPECT_EQ(imported.params[0].numbers, filters);
}

TEST(OnnxImport, JoinsFactorsAndSumsInOneLayer) {
  OnnxGraph graph = PictureGraph();
  const float two = 2;
  graph.Add("Relu", {"x"}, {"r"});
  graph.Add("Mul", {"r", graph.Floats("k", {}, {&two, 1})}, {"s"});
  graph.Add("Add", {"s", "x"}, {"a"});
  graph.Add("Sub", {"a", "r"}, {"y"});
  const ImportedJob imported = ImportGraph(&graph);
  ASSERT_EQ(imported.job.neuralnet().layer_size(), 3);
  const LayerProto& sum = imported.job.neuralnet().layer(2);
  EXPECT_EQ(sum.srclayers_size(), 3);
  ASSERT_EQ(sum.eltwise_conf().coeff_size(), 3);
  EXPECT_EQ(sum.eltwise_conf().coeff(0), 2);
  EXPECT_EQ(sum.eltwise_conf().coeff(2), -1);
}

TEST(OnnxImport, MakesASoftmaxAtTheEndALoss) {
  OnnxGraph graph = PictureGraph();
  graph.Add("GlobalAveragePool", {"x"}, {"p"});
  graph.Add("Flatten", {"p"}, {"f"});
  graph.Add("Softmax", {"f"}, {"y"});
  const ImportedJob imported = ImportGraph(&graph, {});
  const LayerProto& loss = imported.job.neuralnet().layer(2);
  EXPECT_EQ(loss.type(), kSoftmaxLoss);
  ASSERT_EQ(loss.srclayers_size(), 2);
  EXPECT_EQ(loss.srclayers(0), "p");
  EXPECT_EQ(loss.srclayers(1), "x");
}

TEST(OnnxImport, NamesEachNodeWithoutALayer) {
  OnnxGraph graph = PictureGraph();
  graph.Add("TopK", {"x"}, {"a"});
  graph.Add("Transpose", {"x"}, {"b"}, {OnnxInts("perm", {0, 2, 3, 1})});
  graph.Add("Relu", {"b"}, {"y"});
  const std::string refusal = ImportRefusalOf(&graph);
  ExpectText(refusal, "2 nodes cannot become layers");
  ExpectText(refusal, "node \"a\" (TopK): no layer computes this operator");
  ExpectText(refusal, "node \"b\" (Transpose): turns (N, 3, 8, 8) to (N, 8, 8, 3)");
}

TEST(OnnxImport, RefusesACycle) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Add", {"x", "y"}, {"a"});
  graph.Add("Relu", {"a"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "the graph has a cycle; node \"a\" (Add)");
}

TEST(OnnxImport, ReadsTheOperatorsOfTheExport) {
  for (const char* op :
       {"Add", "AveragePool", "BatchNormalization", "Concat", "Conv", "Div", "Gemm", "LRN",
        "LayerNormalization", "MaxPool", "Mul", "Reshape", "Split", "Sub"})
    EXPECT_TRUE(OnnxNodeReaders().Has(op)) << op;
}

}  // namespace
}  // namespace singa
