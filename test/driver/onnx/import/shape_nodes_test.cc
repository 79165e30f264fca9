// Tests imports of nodes that change sizes, and of those that compute the sizes.
#include <gtest/gtest.h>

#include "support/driver/imported_graph.h"

namespace singa::shape_nodes {
namespace {

// Adds a Gemm of y on rows of this many numbers, which the value `from` must have.
void AddGemm(const std::string& from, int64_t inputs, OnnxGraph* graph) {
  graph->Add("Gemm", {from, Constant(graph, {inputs, 2})}, {"y"});
}

// Expects that y, which AddGemm adds, reads the input itself.
void ExpectGemmOfInput(OnnxGraph* graph) {
  const NetProto net = ImportGraph(graph).job.neuralnet();
  ASSERT_EQ(net.layer_size(), 2);
  EXPECT_EQ(net.layer(1).type(), kInnerProduct);
  EXPECT_EQ(net.layer(1).srclayers(0), "x");
}

TEST(ShapeNodes, AReshapeOfRowsVanishes) {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{0, -1}, {-1, 192}, {0, 192}}) {
    OnnxGraph graph = PictureGraph();
    graph.Add("Reshape", {"x", graph.Ints("sizes", sizes)}, {"r"});
    AddGemm("r", 192, &graph);
    ExpectGemmOfInput(&graph);
  }
}

TEST(ShapeNodes, AReshapeMayHaveTheRowsOfTheFile) {
  OnnxGraph graph = GraphOf({5, 3, 8, 8});
  graph.Add("Reshape", {"x", graph.Ints("sizes", {5, 192})}, {"r"});
  AddGemm("r", 192, &graph);
  ExpectGemmOfInput(&graph);
}

TEST(ShapeNodes, SizesMayBeComputed) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Shape", {"x"}, {"s"});
  graph.Add("Constant", {}, {"first"}, {OnnxInt("value_int", 0)});
  graph.Add("Gather", {"s", "first"}, {"n"});
  graph.Add("Unsqueeze", {"n", graph.Ints("axes", {0})}, {"u"});
  graph.Add("Constant", {}, {"rest"}, {OnnxInts("value_ints", {-1})});
  graph.Add("Cast", {"rest"}, {"cast"}, {OnnxInt("to", onnx::TensorProto::INT64)});
  graph.Add("Concat", {"u", "cast"}, {"sizes"}, {OnnxInt("axis", 0)});
  graph.Add("Reshape", {"x", "sizes"}, {"r"});
  AddGemm("r", 192, &graph);
  ExpectGemmOfInput(&graph);
}

TEST(ShapeNodes, SizesMayBeAPartOfOthers) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Shape", {"x"}, {"n"}, {OnnxInt("start", 0), OnnxInt("end", 1)});
  graph.Add("Shape", {"x"}, {"s"});
  graph.Add("Slice", {"s", graph.Ints("from", {1}), graph.Ints("to", {-2})}, {"c"});
  graph.Add("Concat", {"n", "c", graph.Ints("rest", {-1})}, {"sizes"}, {OnnxInt("axis", 0)});
  graph.Add("Reshape", {"x", "sizes"}, {"r"});
  graph.Add("Flatten", {"r"}, {"f"});
  AddGemm("f", 192, &graph);
  ExpectGemmOfInput(&graph);
}

TEST(ShapeNodes, AConstantMayBeANode) {
  OnnxGraph graph = GraphOf({"N", 2});
  onnx::AttributeProto value;
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  onnx::TensorProto& tensor = *value.mutable_t();
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (int i = 0; i < 4; ++i) tensor.add_float_data(static_cast<float>(i));
  tensor.add_dims(4);
  graph.Add("Constant", {}, {"c"}, {value});
  graph.Add("Reshape", {"c", graph.Ints("sizes", {2, -1})}, {"w"});
  graph.Add("Gemm", {"x", "w"}, {"y"});
  const ImportedJob imported = ImportGraph(&graph);
  ASSERT_EQ(imported.params.size(), 1u);
  EXPECT_EQ(imported.params[0].name, "y_0");  // the tensor has no name
  EXPECT_EQ(imported.params[0].shape, (Sizes{2, 2}));
  EXPECT_EQ(imported.params[0].numbers, (std::vector<float>{0, 1, 2, 3}));
}

TEST(ShapeNodes, SizesOfOneComeAndGo) {
  OnnxGraph squeezed = PictureGraph(), all = PictureGraph(), turned = PictureGraph();
  for (OnnxGraph* const graph : {&squeezed, &all, &turned})
    graph->Add("GlobalAveragePool", {"x"}, {"p"});
  squeezed.Add("Squeeze", {"p", squeezed.Ints("axes", {-1, 2})}, {"q"});
  all.Add("Squeeze", {"p"}, {"q"});
  turned.Add("Transpose", {"p"}, {"t"}, {OnnxInts("perm", {0, 2, 3, 1})});
  turned.Add("Flatten", {"t"}, {"q"}, {OnnxInt("axis", -3)});
  for (OnnxGraph* const graph : {&squeezed, &all, &turned}) {
    AddGemm("q", 3, graph);
    EXPECT_EQ(LastLayerOf(graph).innerproduct_conf().num_output(), 2);
  }
}

TEST(ShapeNodes, DropoutAndCastsOfFeaturesVanish) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Dropout", {"x"}, {"d"});
  graph.Add("Cast", {"d"}, {"c"}, {OnnxInt("to", onnx::TensorProto::FLOAT16)});
  graph.Add("Flatten", {"c"}, {"f"});
  AddGemm("f", 192, &graph);
  ExpectGemmOfInput(&graph);
}

TEST(ShapeNodes, ChangesThatMoveNumbersOrTheBatchAreRefused) {
  const OnnxAttributes thirds = {OnnxInts("axes", {2, 2})};
  ExpectRefusals(
      {"N", 3, 8, 8},
      {{"Flatten",
        {},
        {OnnxInt("axis", 2)},
        "flattens (N, 3, 8, 8) at dimension 2; a layer's rows"},
       {"Reshape", {}, {OnnxInts("shape", {2, -1})}, "reshapes (N, 3, 8, 8) to (2, -1); a layer"},
       {"Reshape", {}, {OnnxInts("shape", {-1, -1})}, "reshapes (N, 3, 8, 8) to (-1, -1)"},
       {"Squeeze", {}, {OnnxInts("axes", {1})}, "removes dimension 1 of (N, 3, 8, 8), which is"},
       {"Squeeze", {}, thirds, "names a dimension twice"},
       {"Unsqueeze", {}, {OnnxInts("axes", std::vector<int64_t>(61))}, "adds too many dimensions"},
       {"Transpose", {}, {OnnxInts("perm", {0, 1})}, "perm (0, 1) does not fit (N, 3, 8, 8)"},
       {"Cast", {}, {OnnxInt("to", onnx::TensorProto::INT64)}, "turns a feature into other than"},
       {"Gather", {{1}}, {}, "input \"k\" must be a constant of integers"},
       {"Constant", {}, {OnnxFloat("value_float", 1)}, "is a constant of a kind that an import"}});
  OnnxGraph mask = PictureGraph();
  mask.Add("Dropout", {"x"}, {"y", "mask"});
  ExpectText(ImportRefusalOf(&mask), "gives its mask, which no layer does");
}

// PyTorch turns pictures to (N, h, w, c) and back around a layer that needs no order.
TEST(ShapeNodes, TransposesThatUndoEachOtherVanish) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {0, 2, 3, 1})});
  graph.Add("Transpose", {"t"}, {"u"}, {OnnxInts("perm", {0, 3, 1, 2})});
  graph.Add("Flatten", {"u"}, {"f"});
  AddGemm("f", 192, &graph);
  ExpectGemmOfInput(&graph);
}

TEST(ShapeNodes, ATransposeThatAnotherDoesNotUndoIsNamed) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {0, 2, 3, 1})});
  graph.Add("Transpose", {"t"}, {"u"}, {OnnxInts("perm", {0, 2, 1, 3})});
  graph.Add("Relu", {"u"}, {"y"});
  ExpectText(ImportRefusalOf(&graph),
             "node \"t\" (Transpose): turns (N, 3, 8, 8) to (N, 8, 8, 3); no layer");
}

TEST(ShapeNodes, ValuesOfManyDimensionsAreRefused) {
  ExpectRefusals({"N", 4},
                 {{"Reshape",
                   {},
                   {OnnxInts("shape", std::vector<int64_t>(17, 1))},
                   "reshapes to 17 dimensions; the most are 16"},
                  {"Unsqueeze",
                   {},
                   {OnnxInts("axes", {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})},
                   "gives 17 dimensions; an import reads at most 16"}});
}

TEST(ShapeNodes, ListsAreBoundedTogether) {
  OnnxGraph graph = GraphOf({"N", 4});
  const std::string list = graph.Ints("list", std::vector<int64_t>(1024, 1));
  for (int i = 0; i <= 1024; ++i)
    graph.Add("Concat", {list}, {StrCat("c", i)}, {OnnxInt("axis", 0)});
  graph.Add("Relu", {"x"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "computes a list of integers, beyond 1048576 in all");
}

TEST(ShapeNodes, ACastToAnotherKindIsRefused) {
  OnnxGraph constant = GraphOf({"N", 4});
  constant.Add("Cast", {Constant(&constant, {4}, 1.5f)}, {"i"},
               {OnnxInt("to", onnx::TensorProto::INT64)});
  constant.Add("Relu", {"x"}, {"y"});
  ExpectText(ImportRefusalOf(&constant), "turns a constant into numbers of another kind");
}

TEST(ShapeNodes, ListsThatCannotBeComputedAreRefused) {
  OnnxGraph beyond = PictureGraph(), cut = PictureGraph(), other = PictureGraph();
  for (OnnxGraph* const graph : {&beyond, &cut}) graph->Add("Shape", {"x"}, {"s"});
  beyond.Add("Gather", {"s", beyond.Ints("at", {4})}, {"y"});
  ExpectText(ImportRefusalOf(&beyond), "reads beyond its list");
  cut.Add("Slice", {"s", cut.Ints("from", {0, 1}), cut.Ints("to", {2, 2})}, {"y"});
  ExpectText(ImportRefusalOf(&cut), "cuts a list in an unknown way");
  other.Add("Reshape", {Constant(&other, {8}), other.Ints("sizes", {3, 3})}, {"y"});
  ExpectText(ImportRefusalOf(&other), "reshapes a constant to another size");
}

}  // namespace
}  // namespace singa::shape_nodes
