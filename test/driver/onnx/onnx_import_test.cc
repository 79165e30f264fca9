// Tests imports of models that this test builds. import/ has tests of each kind of node, and
// test/system/onnx_import_checks.py tests the command.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "driver/onnx/import/node_import.h"
#include "support/driver/imported_graph.h"

namespace singa {
namespace {

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

TEST(OnnxImport, MakesALogSoftmaxAtTheEndALossAndNoOtherLayer) {
  for (const char* loss : {"", "softmax", "none", "euclidean"}) {
    OnnxGraph graph = PictureGraph();
    graph.Add("GlobalAveragePool", {"x"}, {"p"});
    graph.Add("Flatten", {"p"}, {"f"});
    graph.Add("LogSoftmax", {"f"}, {"y"});
    const bool is_loss = !*loss || loss == std::string("softmax");
    try {
      const ImportedJob imported = ImportGraph(&graph, {.loss = loss});
      EXPECT_TRUE(is_loss) << loss;
      EXPECT_FALSE(imported.guessed_loss);
      EXPECT_EQ(imported.job.neuralnet().layer(2).type(), kSoftmaxLoss);
    } catch (const Error& error) {
      EXPECT_FALSE(is_loss) << error.what();
      ExpectText(error.what(), "\"y\" is of a LogSoftmax, which becomes a layer only at the");
    }
  }
}

TEST(OnnxImport, SaysWhetherItGuessedTheLoss) {
  const auto guesses = [](const ImportOptions& options) {
    OnnxGraph graph = PictureGraph();
    graph.Add("Relu", {"x"}, {"y"});
    return ImportGraph(&graph, options).guessed_loss;
  };
  EXPECT_TRUE(guesses({}));
  for (const char* loss : {"softmax", "sigmoid", "euclidean", "none"})
    EXPECT_FALSE(guesses({.loss = loss})) << loss;
  OnnxGraph graph = PictureGraph();
  graph.Add("Sigmoid", {"x"}, {"y"});
  const ImportedJob imported = ImportGraph(&graph, {});
  EXPECT_FALSE(imported.guessed_loss);
  EXPECT_EQ(imported.job.neuralnet().layer(1).type(), kSigmoidCrossEntropyLoss);
}

TEST(OnnxImport, AJobWithoutAStoreReadsNoiseAndItsTargets) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"y"});
  const JobProto job = ImportGraph(&graph, {.loss = "euclidean"}).job;
  EXPECT_EQ(job.neuralnet().layer(0).store_conf().backend(), "synthetic");
  EXPECT_EQ(job.neuralnet().layer(0).store_conf().num_targets(), 192);
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

TEST(OnnxImport, RefusesAnotherNumberOfInputs) {
  for (const char* op : {"Add", "Sub", "Mul", "Div"}) {
    OnnxGraph one = PictureGraph(), three = PictureGraph();
    one.Add(op, {"x"}, {"y"});
    ExpectText(ImportRefusalOf(&one), "has 1 input; this operator takes 2");
    three.Add(op, {"x", "x", "x"}, {"y"});
    ExpectText(ImportRefusalOf(&three), "has 3 inputs; this operator takes 2");
  }
}

TEST(OnnxImport, RefusesAnOutputThatNoLayerGives) {
  OnnxGraph graph({"x", "y"});
  graph.AddInput("x", {"N", 3, 8, 8});
  graph.AddOutput("y", {"N"});
  graph.Add("Relu", {"x"}, {"r", "y"});
  ExpectText(ImportRefusalOf(&graph), "node \"r\" (Relu): no layer gives its output \"y\"");
}

TEST(OnnxImport, NamesAnOutputThatIsAConstant) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"y"});
  graph.AddOutput(Constant(&graph, {}, 1), {});
  ExpectText(ImportRefusalOf(&graph), "output \"k\": is a constant");
}

TEST(OnnxImport, PreparesTheInputOfAllItsReadersAlone) {
  OnnxGraph graph({"x", "y"});
  graph.AddInput("x", {"N", 3, 8, 8});
  graph.AddOutput("y", {"N", 3, 8, 8});
  graph.AddOutput("r", {"N", 3, 8, 8});
  graph.Add("Identity", {"x"}, {"same"});
  graph.Add("Sub", {"same", Constant(&graph, {}, 2)}, {"y"});
  graph.Add("Relu", {"x"}, {"r"});
  ExpectText(ImportRefusalOf(&graph), "(Sub): no layer adds, multiplies or reads a constant");
}

TEST(OnnxImport, ScalesTheInputOfOneReaderAlone) {
  OnnxGraph graph({"x", "y"});
  graph.AddInput("x", {"N", 3, 8, 8});
  graph.AddOutput("y", {"N", 3, 4, 4});
  graph.AddOutput("r", {"N", 3, 4, 4});
  graph.Add(
      "Slice",
      {"x", graph.Ints("begin", {2, -6}), graph.Ints("end", {-2, 6}), graph.Ints("axes", {2, 3})},
      {"cut"});
  graph.Add("Identity", {"cut"}, {"same"});
  graph.Add("Mul", {"same", Constant(&graph, {}, 2)}, {"y"});
  graph.Add("Relu", {"same"}, {"r"});
  const NetProto net = ImportGraph(&graph).job.neuralnet();
  ASSERT_EQ(net.layer_size(), 4);
  EXPECT_EQ(net.layer(1).rgbimage_conf().cropsize(), 4);
  EXPECT_FALSE(net.layer(1).rgbimage_conf().has_scale());
  EXPECT_EQ(net.layer(2).rgbimage_conf().scale(), 2);
  EXPECT_EQ(net.layer(3).srclayers(0), net.layer(1).name());
}

TEST(OnnxImport, RefusesAPartThatIsNotTheCentre) {
  OnnxGraph graph = PictureGraph();
  constexpr int64_t kLast = std::numeric_limits<int64_t>::max();
  graph.Add("Slice",
            {"x", graph.Ints("begin", {-3, -3}), graph.Ints("end", {kLast, kLast}),
             graph.Ints("axes", {2, 3})},
            {"y"});
  ExpectText(ImportRefusalOf(&graph), "only the centre of the input's pictures");
}

TEST(OnnxImport, RefusesALongListOfSizes) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Reshape", {"x", graph.Ints("sizes", std::vector<int64_t>(2000, 1))}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "has 2000 integers; a list of sizes has at most 1024");
}

TEST(OnnxImport, BoundsTheCopiesOfConstants) {
  constexpr int64_t kUnits = 1 << 18;  // 1 MiB
  OnnxGraph graph({"x", "y"});
  graph.AddInput("x", {"N", kUnits});
  graph.AddOutput("y", {"N", kUnits});
  const std::string g = graph.Floats("g", {kUnits}, std::vector<float>(kUnits, 1));
  std::string from = "x";
  for (int i = 0; i < 21; ++i) {
    const std::string to = i == 20 ? "y" : StrCat("b", i);
    graph.Add("BatchNormalization", {from, g, g, g, g}, {to});
    from = to;
  }
  ExpectText(ImportRefusalOf(&graph), "84 MiB of params, copies of 1 MiB of constants");
}

TEST(OnnxImport, NumbersLayersOfEqualNames) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"a+"});
  graph.Add("Relu", {"a+"}, {"a:"});
  graph.Add("Relu", {"a:"}, {"a/"});
  graph.Add("Relu", {"a/"}, {"y"});
  const NetProto net = ImportGraph(&graph).job.neuralnet();
  EXPECT_EQ(net.layer(1).name(), "a_");
  EXPECT_EQ(net.layer(2).name(), "a__2");
  EXPECT_EQ(net.layer(3).name(), "a.");
}

TEST(OnnxImport, RefusesAShapeThatTheModelContradicts) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"y"});
  for (const Sizes& shape : {Sizes{3, 8, 9}, Sizes{3, 8}}) try {
      ImportGraph(&graph, {.shape = shape, .loss = "none"});
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitUsage);
      ExpectText(error.what(), "input \"x\" has rows of (3, 8, 8)");
    }
  EXPECT_NO_THROW(ImportGraph(&graph, {.shape = {3, 8, 8}, .loss = "none"}));
}

TEST(OnnxImport, RefusesNumbersThatAreNotFinite) {
  OnnxGraph slope = PictureGraph(), product = PictureGraph();
  slope.Add("LeakyRelu", {"x"}, {"y"}, {OnnxFloat("alpha", NAN)});
  ExpectText(ImportRefusalOf(&slope), "attribute alpha is nan, which is not finite");
  product.Add("Mul", {"x", Constant(&product, {}, 1e30f)}, {"a"});
  product.Add("Mul", {"a", Constant(&product, {}, 1e30f)}, {"y"});
  ExpectText(ImportRefusalOf(&product), "multiplies by a number that is not finite");
}

TEST(OnnxImport, RefusesPaddingBeyondTheLargestWindow) {
  OnnxGraph graph = PictureGraph();
  graph.Add("MaxPool", {"x"}, {"y"},
            {OnnxInts("kernel_shape", {1 << 20, 1 << 20}), OnnxInts("dilations", {9, 9}),
             OnnxText("auto_pad", "SAME_UPPER")});
  ExpectText(ImportRefusalOf(&graph), "pixels of padding; a side takes 1048576");
}

TEST(OnnxImport, ListsConstantsOfOtherTypesWithAllRefusals) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Mul", {"x", graph.Ints("two", {2})}, {"a"});
  graph.Add("Reshape", {"x", Constant(&graph, {1}, 1)}, {"b"});
  graph.Add("TopK", {"x"}, {"y"});
  const std::string refusal = ImportRefusalOf(&graph);
  ExpectText(refusal, "3 nodes cannot become layers");
  ExpectText(refusal, "input \"two\" must be a constant of floats");
  ExpectText(refusal, "input \"k\" must be a constant of integers");
}

TEST(OnnxImport, JoinsNoFeaturesOfOtherSizes) {
  OnnxGraph silu = PictureGraph(), scaled = PictureGraph();
  silu.Add("Sigmoid", {"x"}, {"s"});
  silu.Add("Reshape", {"x", silu.Ints("sizes", {-1, 3, 4, 16})}, {"r"});
  silu.Add("Mul", {"r", "s"}, {"y"});
  ExpectText(ImportRefusalOf(&silu), "joins (N, 3, 4, 16) and (N, 3, 8, 8)");
  scaled.Add("Mul", {"x", Constant(&scaled, {1, 1, 1, 1, 1}, 2)}, {"y"});
  ExpectText(ImportRefusalOf(&scaled), "a constant of (1, 1, 1, 1, 1), which has more dimensions");
}

}  // namespace
}  // namespace singa
