// Tests the job around an imported net: its loss, its records, and the values of its params.
#include "driver/onnx/import/job_import.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/temp_dir.h"
#include "support/driver/imported_graph.h"

namespace singa::job_import {
namespace {

// Returns a picture's graph with one node, which reads x.
OnnxGraph OneNode(const std::string& op) {
  OnnxGraph graph = PictureGraph();
  graph.Add(op, {"x"}, {"y"});
  return graph;
}

TEST(JobImport, APreparationMayBeForAllChannelsOrForEach) {
  OnnxGraph graph = OneNode("Relu");
  const JobProto job = ImportGraph(&graph, {.loss = "none", .mean = {1, 2, 3}, .std = {4}}).job;
  const StoreProto& store = job.neuralnet().layer(0).store_conf();
  ASSERT_EQ(store.channel_mean_size(), 3);
  EXPECT_EQ(store.channel_mean(2), 3);
  EXPECT_EQ(store.std_value(), 4);
}

TEST(JobImport, APreparationFitsTheModel) {
  OnnxGraph graph = OneNode("Relu"), prepared = PictureGraph();
  EXPECT_ERROR(ImportGraph(&graph, {.loss = "none", .mean = {1, 2}}), kExitUsage,
               "-mean: has 2 numbers; the model's input has 3 channels");
  EXPECT_ERROR(ImportGraph(&graph, {.loss = "none", .std = {1, 2}}), kExitUsage, "-std: has 2");
  prepared.Add("Sub", {"x", Constant(&prepared, {})}, {"y"});
  EXPECT_ERROR(ImportGraph(&prepared, {.loss = "none", .mean = {1}}), kExitUsage,
               "-mean and -std: the model prepares its input itself");
}

TEST(JobImport, AStoreTakesThePlaceOfNoise) {
  OnnxGraph graph = OneNode("Relu");
  const JobProto job =
      ImportGraph(&graph, {.loss = "none", .store = "records", .backend = "kvfile"}).job;
  const StoreProto& store = job.neuralnet().layer(0).store_conf();
  EXPECT_EQ(store.path(), "records");
  EXPECT_EQ(store.backend(), "kvfile");
  EXPECT_FALSE(store.has_synthetic_conf());
}

TEST(JobImport, ALossReadsTheOutputAndTheRecords) {
  const std::pair<const char*, LayerType> cases[] = {{"softmax", kSoftmaxLoss},
                                                     {"sigmoid", kSigmoidCrossEntropyLoss},
                                                     {"euclidean", kEuclideanLoss}};
  for (const auto& [loss, type] : cases) {
    OnnxGraph graph = OneNode("Relu");
    const NetProto net = ImportGraph(&graph, {.loss = loss}).job.neuralnet();
    ASSERT_EQ(net.layer_size(), 3) << loss;
    EXPECT_EQ(net.layer(2).type(), type);
    EXPECT_EQ(net.layer(2).srclayers(0), "y");
    EXPECT_EQ(net.layer(2).srclayers(1), type == kSoftmaxLoss ? "x" : "x:1");
  }
}

TEST(JobImport, ASigmoidAtTheEndBecomesAPartOfItsLoss) {
  OnnxGraph graph = OneNode("Sigmoid");
  const JobProto job = ImportGraph(&graph, {.loss = "sigmoid"}).job;
  ASSERT_EQ(job.neuralnet().layer_size(), 2);
  EXPECT_EQ(job.neuralnet().layer(1).type(), kSigmoidCrossEntropyLoss);
  EXPECT_EQ(job.neuralnet().layer(0).store_conf().num_targets(), 192);
}

TEST(JobImport, ALossNeedsALayer) {
  OnnxGraph graph = OneNode("Identity");
  EXPECT_ERROR(ImportGraph(&graph, {.loss = "softmax"}), kExitUsage,
               "-loss: the net's output is its input");
  EXPECT_ERROR(ImportGraph(&graph, {}), kExitBadData, "has no node that becomes a layer");
}

// Each layer would need gigabytes for each record.
TEST(JobImport, RowsOfABillionNumbersAreRefused) {
  OnnxGraph graph = GraphOf({"N", 1000000000});
  graph.Add("Relu", {"x"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "has rows of (1000000000); a row has at most");
}

TEST(JobImport, ValuesMustBeFinite) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Conv", {"x", Constant(&graph, {1, 3, 2, 2}, INFINITY)}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "tensor \"k\": 12 of its 12 numbers are not finite");
}

TEST(JobImport, NamesOfPyTorchLoseTheirFrame) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"/features/act/Relu_output_0"});
  graph.Add("Relu", {"/features/act/Relu_output_0"}, {"/"});
  graph.Add("Relu", {"/"}, {"y"});
  const NetProto net = ImportGraph(&graph).job.neuralnet();
  EXPECT_EQ(net.layer(1).name(), "features.act.Relu");
  EXPECT_EQ(net.layer(2).name(), "ReLU");
}

TEST(JobImport, LayersThatNoOutputNeedsAreLeftOut) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Tanh", {"x"}, {"unused"});
  graph.Add("Relu", {"x"}, {"also_unused"});
  graph.Add("Relu", {"x"}, {"y"});
  const NetProto net = ImportGraph(&graph).job.neuralnet();
  ASSERT_EQ(net.layer_size(), 2);
  EXPECT_EQ(net.layer(1).name(), "y");
}

}  // namespace
}  // namespace singa::job_import
