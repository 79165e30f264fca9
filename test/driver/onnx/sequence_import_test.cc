// Tests imports of nets with time steps, in the forms that PyTorch writes.
// test/system/onnx_import_checks.py tests those of singa's own export.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "driver/onnx/import/job_import.h"
#include "driver/onnx/import/node_import.h"
#include "driver/onnx/onnx_graph.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns a graph with the input x, records of 5 time steps of 4 units, and the output y.
OnnxGraph SequenceGraph() {
  OnnxGraph graph({"x", "y"});
  graph.AddInput("x", {"N", 5, 4});
  graph.AddOutput("y", {"N", 5, 4});
  return graph;
}

ImportedJob ImportSequences(OnnxGraph* graph) {
  const std::string bytes = graph->Serialize("net");
  TensorValues tensors("net.onnx");
  const OnnxModel model = ReadOnnxModel(std::as_bytes(std::span(bytes)), "net.onnx");
  return ImportJob(model, "net.onnx", {.loss = "none"}, &tensors);
}

std::string SequenceRefusal(OnnxGraph* graph) {
  try {
    ImportSequences(graph);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

std::vector<float> Counting(int64_t size) {
  std::vector<float> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  return numbers;
}

// Adds a constant of the numbers 1, 2, ...
std::string CountingTensor(OnnxGraph* graph, const std::string& name,
                           const std::vector<int64_t>& dims) {
  return graph->Floats(name, dims, Counting(ProductOf(dims)));
}

TEST(SequenceImport, ReadsTheOperatorsOfTheExport) {
  for (const char* op :
       {"GRU", "Gather", "LSTM", "MatMul", "OneHot", "RNN", "Softmax", "Transpose", "Trilu"})
    EXPECT_TRUE(OnnxNodeReaders().Has(op)) << op;
}

// Adds an operator of torch.nn.GRU, LSTM or RNN with batch_first, and the last step of its output.
void AddRecurrent(const std::string& op, int64_t gates, const std::vector<float>& biases,
                  OnnxGraph* graph) {
  graph->Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {1, 0, 2})});
  OnnxNames in = {"t", CountingTensor(graph, "W", {1, gates * 2, 4}),
                  CountingTensor(graph, "R", {1, gates * 2, 2}),
                  graph->Floats("B", {1, gates * 4}, biases)};
  OnnxAttributes attributes = {OnnxInt("hidden_size", 2)};
  if (op == "GRU") attributes.push_back(OnnxInt("linear_before_reset", 1));
  graph->Add(op, in, {"s"}, attributes);
  graph->Add("Squeeze", {"s", graph->Ints("one", {1})}, {"q"});
  graph->Add("Transpose", {"q"}, {"y"}, {OnnxInts("perm", {1, 0, 2})});
}

TEST(SequenceImport, ReadsRecordsOfSequencesAsTimeSteps) {
  OnnxGraph graph = SequenceGraph();
  AddRecurrent("LSTM", 4, Counting(16), &graph);
  const ImportedJob imported = ImportSequences(&graph);
  const NetProto& net = imported.job.neuralnet();
  ASSERT_EQ(net.layer_size(), 3);
  EXPECT_EQ(net.layer(1).type(), kTimeSteps);
  EXPECT_EQ(net.layer(1).time_steps_conf().unroll_len(), 5);
  EXPECT_FALSE(net.layer(1).has_unroll_len());
  EXPECT_EQ(net.layer(2).type(), kLSTM);
  EXPECT_EQ(net.layer(2).unroll_len(), 5);
  EXPECT_EQ(net.layer(2).lstm_conf().dim_hidden(), 2);
  EXPECT_EQ(imported.job.train_one_batch().alg(), kBPTT);
}

// The gates of ONNX are i, o, f, g, those of the layer i, f, g, o. Each has two biases of 2.
TEST(SequenceImport, OrdersTheGatesAndAddsTheirBiases) {
  OnnxGraph graph = SequenceGraph();
  AddRecurrent("LSTM", 4, Counting(16), &graph);
  const std::vector<ImportedValues> params = ImportSequences(&graph).params;
  ASSERT_EQ(params.size(), 12u);
  EXPECT_EQ(params[0].numbers, Counting(8));
  EXPECT_EQ(params[1].numbers[0], 17);
  EXPECT_EQ(params[3].numbers[0], 9);
  EXPECT_EQ(params[4].numbers, Counting(4));
  EXPECT_EQ(params[8].numbers, (std::vector<float>{1 + 9, 2 + 10}));
  EXPECT_EQ(params[9].numbers, (std::vector<float>{5 + 13, 6 + 14}));
  EXPECT_EQ(params[11].numbers, (std::vector<float>{3 + 11, 4 + 12}));
}

TEST(SequenceImport, RefusesABiasBehindTheResetGate) {
  OnnxGraph with = SequenceGraph(), without = SequenceGraph();
  std::vector<float> biases = Counting(12);
  AddRecurrent("GRU", 3, biases, &with);
  EXPECT_NE(SequenceRefusal(&with).find("has a bias of the state behind its reset gate"),
            std::string::npos);
  biases[10] = biases[11] = 0;
  AddRecurrent("GRU", 3, biases, &without);
  const std::vector<ImportedValues> params = ImportSequences(&without).params;
  ASSERT_EQ(params.size(), 9u);
  EXPECT_EQ(params[6].numbers, (std::vector<float>{1 + 7, 2 + 8}));
  EXPECT_EQ(params[8].numbers, (std::vector<float>{5, 6}));
}

TEST(SequenceImport, RefusesAnotherDirection) {
  OnnxGraph graph = SequenceGraph();
  graph.Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {1, 0, 2})});
  onnx::AttributeProto direction;
  direction.set_name("direction");
  direction.set_type(onnx::AttributeProto::STRING);
  direction.set_s("reverse");
  graph.Add("RNN",
            {"t", CountingTensor(&graph, "W", {1, 2, 4}), CountingTensor(&graph, "R", {1, 2, 2})},
            {"y"}, {OnnxInt("hidden_size", 2), direction});
  EXPECT_NE(SequenceRefusal(&graph).find("must read forward"), std::string::npos);
}

// Adds torch.nn.MultiheadAttention of 2 heads without biases: one product gives queries, keys and
// values, of which Gather takes one each. `mask`: of the scores; "": there is none.
void AddHeads(float scale, OnnxGraph* graph, const std::string& mask = "") {
  graph->Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {1, 0, 2})});
  graph->Add("MatMul", {"t", CountingTensor(graph, "in", {4, 12})}, {"p"});
  graph->Add("Reshape", {"p", graph->Ints("cut", {5, -1, 3, 4})}, {"c"});
  graph->Add("Unsqueeze", {"c", graph->Ints("zero", {0})}, {"u"});
  graph->Add("Transpose", {"u"}, {"w"}, {OnnxInts("perm", {3, 1, 2, 0, 4})});
  graph->Add("Squeeze", {"w", graph->Ints("axis", {3})}, {"z"});
  for (int i = 0; i < 3; ++i) {
    const std::string part(1, "qkv"[i]);
    graph->Add("Gather", {"z", graph->Ints(part + "i", {i})}, {part + "1"}, {OnnxInt("axis", 0)});
    graph->Add("Reshape", {part + "1", graph->Ints(part + "s", {5, -1, 2, 2})}, {part + "2"});
    graph->Add("Transpose", {part + "2"}, {part},
               {OnnxInts("perm", i == 1 ? std::vector<int64_t>{1, 2, 3, 0}
                                        : std::vector<int64_t>{1, 2, 0, 3})});
  }
  graph->Add("Mul", {"q", graph->Floats("scale", {}, {&scale, 1})}, {"r"});
  graph->Add("MatMul", {"r", "k"}, {"s"});
  if (!mask.empty()) graph->Add("Add", {"s", mask}, {"m"});
  graph->Add("Softmax", {mask.empty() ? "s" : "m"}, {"a"}, {OnnxInt("axis", -1)});
  graph->Add("MatMul", {"a", "v"}, {"o"});
  graph->Add("Transpose", {"o"}, {"o1"}, {OnnxInts("perm", {2, 0, 1, 3})});
  graph->Add("Reshape", {"o1", graph->Ints("flat", {-1, 4})}, {"o2"});
  graph->Add("Gemm", {"o2", CountingTensor(graph, "out", {4, 4})}, {"o3"}, {OnnxInt("transB", 1)});
  graph->Add("Reshape", {"o3", graph->Ints("back", {5, -1, 4})}, {"o4"});
  graph->Add("Transpose", {"o4"}, {"y"}, {OnnxInts("perm", {1, 0, 2})});
}

TEST(SequenceImport, MakesAnAttentionOfItsNodes) {
  OnnxGraph graph = SequenceGraph();
  AddHeads(std::sqrt(0.5f), &graph);
  const ImportedJob imported = ImportSequences(&graph);
  const NetProto& net = imported.job.neuralnet();
  ASSERT_EQ(net.layer_size(), 3);
  const LayerProto& attention = net.layer(2);
  EXPECT_EQ(attention.type(), kAttention);
  EXPECT_EQ(attention.attention_conf().num_heads(), 2);
  EXPECT_FALSE(attention.attention_conf().causal());
  EXPECT_FALSE(attention.attention_conf().bias_term());
  EXPECT_EQ(attention.unroll_len(), 5);
  ASSERT_EQ(imported.params.size(), 2u);
  EXPECT_EQ(imported.params[0].shape, (Sizes{12, 4}));
  EXPECT_EQ(imported.params[0].numbers[1], 13);  // (4, 12), turned
  EXPECT_EQ(imported.params[1].numbers, Counting(16));
}

TEST(SequenceImport, RefusesAnAttentionOfAnotherScale) {
  OnnxGraph graph = SequenceGraph();
  AddHeads(1, &graph);
  EXPECT_NE(SequenceRefusal(&graph).find("scales its scores by 1; a layer does so by"),
            std::string::npos);
}

// Adds a square of -infinity above its diagonal. Returns its name.
std::string FutureMask(int64_t side, OnnxGraph* graph) {
  const float lowest = -INFINITY;
  graph->Add("Expand",
             {graph->Floats("lowest", {}, {&lowest, 1}), graph->Ints("square", {side, side})},
             {"all"});
  graph->Add("Trilu", {"all", graph->Ints("above", {1})}, {"future"}, {OnnxInt("upper", 1)});
  return "future";
}

TEST(SequenceImport, AMaskOfLaterTimeStepsIsCausal) {
  OnnxGraph graph = SequenceGraph();
  AddHeads(std::sqrt(0.5f), &graph, FutureMask(5, &graph));
  const LayerProto attention = ImportSequences(&graph).job.neuralnet().layer(2);
  EXPECT_EQ(attention.type(), kAttention);
  EXPECT_TRUE(attention.attention_conf().causal());
}

// One number, 0, hides no time step.
TEST(SequenceImport, RefusesAMaskOfOtherSizesThanTheScores) {
  OnnxGraph graph = SequenceGraph();
  AddHeads(std::sqrt(0.5f), &graph, FutureMask(1, &graph));
  EXPECT_NE(SequenceRefusal(&graph).find("adds other than the mask of later time steps"),
            std::string::npos);
}

TEST(SequenceImport, AddsARowOfATableToEachTimeStep) {
  OnnxGraph graph = SequenceGraph();
  graph.Add("Transpose", {"x"}, {"t"}, {OnnxInts("perm", {1, 0, 2})});
  graph.Add("Transpose", {"t"}, {"b"}, {OnnxInts("perm", {1, 0, 2})});
  graph.Add("Add", {"b", CountingTensor(&graph, "table", {1, 5, 4})}, {"y"});
  const ImportedJob imported = ImportSequences(&graph);
  const LayerProto& layer = imported.job.neuralnet().layer(2);
  EXPECT_EQ(layer.type(), kPositionEmbedding);
  EXPECT_EQ(layer.position_embedding_conf().max_steps(), 5);
  EXPECT_EQ(layer.param(0).name(), "table");
}

}  // namespace
}  // namespace singa
