// Exports kCharRNN as an input of indices; kOneHot and kEmbedding, which turn an index into a row;
// and kPositionEmbedding, which adds a row for each time step.
#include "driver/onnx/layer_export.h"
#include "io/vocabulary.h"

namespace singa {
namespace {

// Returns the characters in hex. In Python bytes.fromhex(text) reads them.
std::string Hex(const Vocabulary& vocabulary) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < vocabulary.size(); ++i) {
    const auto byte = static_cast<uint8_t>(vocabulary.Character(i));
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

void WriteText(OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  TimeSteps& time = layer->time_steps();
  const std::string& name = layer->node().full_name;
  const int steps = StepsOf(layer->node());
  graph.AddInput(name, {time.Dim(steps), "N"}, onnx::TensorProto::INT64);
  graph.Describe("input_order",
                 "indices of characters, step by step: time steps, sequences (T, N)");
  graph.Describe("time_steps",
                 time.IsFree(steps) ? StrCat("any number; the job has ", steps) : StrCat(steps));
  graph.Describe("vocabulary", Hex(Vocabulary(layer->conf().char_rnn_conf().vocab_path())));
  time.ReadFrom(name);
  const std::string rows = layer->Reshape(name, {});
  graph.SetInteger(rows);
  layer->Alias(rows);
}

// Padding, -1, gives zeros in both: ONNX gives zeros for an index out of range.
void WriteOneHot(OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const std::string index = layer->Indices(),
                    size = graph.Ints(layer->Inner("size"), {layer->out_shape()[1]});
  const std::string padding = layer->Step("Less", {index, graph.Ints(layer->Inner("first"), {0})});
  const float values[] = {0, 1};
  layer->Give("OneHot", {layer->Step("Where", {padding, size, index}), size,
                         graph.Floats(layer->Inner("values"), {2}, values)});
}

// Appends a row of zeros to the table for padding, -1: ONNX counts negative indices from the end.
void WriteEmbedding(OnnxLayer* layer) {
  const Param& table = layer->param(0);
  const std::string rows =
      layer->graph().Weights(table.name(), {&table}, {table.shape()[0] + 1, table.shape()[1]});
  layer->Give("Gather", {rows, layer->Indices()});
}

// The table has a second dimension for the rows of a time step.
void WritePositionEmbedding(OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  TimeSteps& time = layer->time_steps();
  std::vector<int64_t> sizes = layer->row_sizes();
  std::vector<int64_t> dims = {layer->param(0).shape()[0], 1};
  dims.insert(dims.end(), sizes.begin(), sizes.end());
  const int steps = StepsOf(layer->node()), first = layer->conf().unroll_index();
  const std::string end =
      time.IsFree(steps) ? time.Count() : graph.Ints(layer->Inner("end"), {first + steps});
  const std::string rows = layer->Step(
      "Slice", {graph.Weight(layer->param(0), dims), graph.Ints(layer->Inner("begin"), {first}),
                end, graph.Ints(layer->Inner("axis"), {0})});
  const std::string x = time.Sequence(layer->in()[0], steps, sizes);
  sizes.insert(sizes.begin(), -1);
  layer->Give("Reshape", {layer->Step("Add", {x, rows}), graph.Ints(layer->Inner("shape"), sizes)});
}

SINGA_REGISTER_ONNX(kCharRNN, WriteText);
SINGA_REGISTER_ONNX(kOneHot, .write = WriteOneHot, .reads_integers = true);
SINGA_REGISTER_ONNX(kEmbedding, .write = WriteEmbedding, .reads_integers = true);
SINGA_REGISTER_ONNX(kPositionEmbedding, WritePositionEmbedding);

}  // namespace
}  // namespace singa
