#include "driver/onnx/onnx_graph.h"

#include <gtest/gtest.h>

#include <cstring>

#include "driver/version.h"
#include "singa/base/error.h"

namespace singa::onnx_graph {
namespace {

using Numbers = std::vector<float>;

onnx::ModelProto ModelOf(OnnxGraph* graph) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(graph->Serialize("net")));
  return model;
}

Param MakeParam(const std::string& name, const Numbers& values) {
  Param param(name, "layer", "path", ParamProto(), {std::ssize(values)});
  param.data = Tensor::Allocate(param.shape());
  std::copy(values.begin(), values.end(), param.data.data());
  return param;
}

Numbers FloatsIn(const onnx::TensorProto& tensor) {
  Numbers values(tensor.raw_data().size() / sizeof(float));
  std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
  return values;
}

TEST(OnnxGraph, GivesEachNameOnce) {
  OnnxGraph graph({"x", "x#2"});
  EXPECT_EQ(graph.Fresh("y"), "y");
  EXPECT_EQ(graph.Fresh("y"), "y#2");
  EXPECT_EQ(graph.Fresh("y"), "y#3");
  EXPECT_EQ(graph.Fresh("x"), "x#3");
  EXPECT_EQ(graph.Fresh("y#2"), "y#2#2");
}

TEST(OnnxGraph, SaysWhoMadeItForWhichVersion) {
  OnnxGraph graph({});
  const onnx::ModelProto model = ModelOf(&graph);
  EXPECT_EQ(model.ir_version(), 8);
  ASSERT_EQ(model.opset_import_size(), 1);
  EXPECT_EQ(model.opset_import(0).version(), 17);
  EXPECT_EQ(model.producer_name(), "singa");
  EXPECT_EQ(model.producer_version(), kSingaVersion);
  EXPECT_EQ(model.graph().name(), "net");
}

TEST(OnnxGraph, NodesAreInTheirOrderWithTheirAttributes) {
  OnnxGraph graph({});
  graph.Add("Relu", {"a"}, {"b"});
  graph.Add("Conv", {"b", "w"}, {"c", "d"},
            {OnnxInt("group", 3), OnnxFloat("alpha", 0.5f), OnnxInts("pads", {1, 2})});
  const onnx::ModelProto model = ModelOf(&graph);
  ASSERT_EQ(model.graph().node_size(), 2);
  EXPECT_EQ(model.graph().node(0).op_type(), "Relu");
  const onnx::NodeProto& node = model.graph().node(1);
  EXPECT_EQ(node.name(), "c");
  EXPECT_EQ(node.input(1), "w");
  EXPECT_EQ(node.output(1), "d");
  ASSERT_EQ(node.attribute_size(), 3);
  EXPECT_EQ(node.attribute(0).i(), 3);
  EXPECT_EQ(node.attribute(0).type(), onnx::AttributeProto::INT);
  EXPECT_EQ(node.attribute(1).f(), 0.5f);
  EXPECT_EQ(node.attribute(1).type(), onnx::AttributeProto::FLOAT);
  EXPECT_EQ(node.attribute(2).ints(1), 2);
  EXPECT_EQ(node.attribute(2).type(), onnx::AttributeProto::INTS);
}

TEST(OnnxGraph, ConstantsHaveTheirTypesAndBytes) {
  OnnxGraph graph({});
  const Numbers floats = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(graph.Floats("f", {2, 3}, floats), "f");
  EXPECT_EQ(graph.Floats("f", {6}, floats), "f#2");
  EXPECT_EQ(graph.Ints("i", {-1, 7}), "i");
  const onnx::ModelProto model = ModelOf(&graph);
  const onnx::TensorProto& two = model.graph().initializer(0);
  EXPECT_EQ(two.data_type(), onnx::TensorProto::FLOAT);
  EXPECT_EQ(two.dims_size(), 2);
  EXPECT_EQ(two.dims(1), 3);
  EXPECT_EQ(FloatsIn(two), floats);
  const onnx::TensorProto& ints = model.graph().initializer(2);
  EXPECT_EQ(ints.data_type(), onnx::TensorProto::INT64);
  EXPECT_EQ(ints.dims(0), 2);
  int64_t first = 0;
  std::memcpy(&first, ints.raw_data().data(), sizeof first);
  EXPECT_EQ(first, -1);
}

TEST(OnnxGraph, AParamIsThereOnceForEachShape) {
  OnnxGraph graph({"w"});
  const Param w = MakeParam("w", {1, 2, 3, 4});
  EXPECT_EQ(graph.Weight(w, {4}), "w#2");
  EXPECT_EQ(graph.Weight(w, {4}), "w#2");
  EXPECT_EQ(graph.Weight(w, {2, 2}), "w#3");
  EXPECT_EQ(graph.params(), std::set<const Param*>{&w});
  EXPECT_EQ(ModelOf(&graph).graph().initializer_size(), 2);
}

TEST(OnnxGraph, ParamsAreJoinedAndFilledUpWithZeros) {
  OnnxGraph graph({});
  const Param a = MakeParam("a", {1, 2}), b = MakeParam("b", {3, 4});
  EXPECT_EQ(graph.Weights("all", {&b, &a}, {1, 6}), "all");
  EXPECT_EQ(graph.Weights("other", {&b, &a}, {1, 6}), "all");
  EXPECT_EQ(graph.Weights("other", {&a, &b}, {1, 6}), "other");
  EXPECT_EQ(FloatsIn(ModelOf(&graph).graph().initializer(0)), (Numbers{3, 4, 1, 2, 0, 0}));
}

TEST(OnnxGraph, SizesAreNumbersOrFree) {
  OnnxGraph graph({});
  graph.AddInput("x", BatchDims({5, 3, 8}));
  graph.AddInput("i", {"T", 2}, onnx::TensorProto::INT64);
  graph.AddOutput("y", {"N", 10});
  EXPECT_EQ(graph.Summary(), "0 nodes, 0 numbers in weights; x (N, 3, 8), i (T, 2) -> y (N, 10)");
  EXPECT_TRUE(graph.IsInteger("i"));
  EXPECT_FALSE(graph.IsInteger("x"));
  const onnx::ModelProto model = ModelOf(&graph);
  EXPECT_EQ(model.graph().input(1).type().tensor_type().elem_type(), onnx::TensorProto::INT64);
  EXPECT_EQ(model.graph().output(0).type().tensor_type().elem_type(), onnx::TensorProto::FLOAT);
}

TEST(OnnxGraph, TheSummaryCountsNumbersOfParamsOnce) {
  OnnxGraph graph({});
  const Param w = MakeParam("w", {1, 2, 3, 4});
  graph.Weight(w, {4});
  graph.Weight(w, {2, 2});
  graph.Add("Relu", {"a"}, {"b"});
  EXPECT_EQ(graph.Summary(), "1 node, 4 numbers in weights;  -> ");
}

TEST(OnnxGraph, AKeyKeepsItsFirstValue) {
  OnnxGraph graph({});
  graph.Describe("step", "1");
  graph.Describe("step", "2");
  const onnx::ModelProto model = ModelOf(&graph);
  ASSERT_EQ(model.metadata_props_size(), 1);
  EXPECT_EQ(model.metadata_props(0).value(), "1");
}

// The size is known before any number is read.
TEST(OnnxGraph, AModelOfMoreThanAFileHoldsIsRefused) {
  OnnxGraph graph({});
  const Param w = MakeParam("w", {1});
  try {
    graph.Weight(w, {int64_t{1} << 29});
    FAIL() << "2 GiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitUsage);
    EXPECT_STREQ(error.what(),
                 "the model has 2147483648 bytes or more; an ONNX file holds less than 2 GiB");
  }
}

}  // namespace
}  // namespace singa::onnx_graph
