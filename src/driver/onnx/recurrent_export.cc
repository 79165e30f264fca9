// Exports kGRU, kLSTM and kRNN as ONNX's operator over all time steps, or over one if a layer has a
// node for each step. A carried state is an input and an output of the model.
#include "driver/onnx/layer_export.h"

namespace singa {
namespace {

struct RecurrentForm {
  const char* op;
  std::vector<int> gates;  // singa's gate numbers in ONNX's order
  bool carry_state, bias;
  OnnxAttributes attributes;
  bool has_c = false;
};

// Returns params of all gates. kind: 0 matrices of the input, 1 matrices of the state, 2 biases.
std::vector<const Param*> OfGates(const OnnxLayer& layer, const RecurrentForm& form, int kind) {
  std::vector<const Param*> params;
  const int gates = static_cast<int>(form.gates.size());
  for (int gate : form.gates) params.push_back(&layer.param(kind * gates + gate));
  return params;
}

OnnxNames Weights(const RecurrentForm& form, OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const Shape &x = layer->in_shape(), &y = layer->out_shape();
  const int64_t inputs = x[x.dims() - 1], hidden = y[y.dims() - 1],
                all = static_cast<int64_t>(form.gates.size()) * hidden;
  OnnxNames names = {graph.Weights(layer->Inner("W"), OfGates(*layer, form, 0), {1, all, inputs}),
                     graph.Weights(layer->Inner("R"), OfGates(*layer, form, 1), {1, all, hidden}),
                     ""};
  // The biases of the products with the state are zeros, as kGRU's are outside of its reset gate.
  if (form.bias)
    names[2] = graph.Weights(layer->Inner("B"), OfGates(*layer, form, 2), {1, 2 * all});
  return names;
}

// Adds the input "gru.state" and the output "gru.next_state". Returns the input's name.
std::string Carry(const std::string& what, const std::string& last, OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const Shape& y = layer->out_shape();
  const OnnxDims dims = {1, "N", y[y.dims() - 1]};
  const std::string& name = layer->node().full_name;
  const std::string first = graph.Fresh(StrCat(name, ".", what));
  graph.AddInput(first, dims);
  layer->GiveState(last, dims);
  graph.Describe(first, StrCat("the ", what, " of layer ", name,
                               " before the first time step: zeros where a sequence begins, "
                               "then ",
                               last, " of the window before"));
  return first;
}

void Write(const RecurrentForm& form, OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const Shape &x = layer->in_shape(), &y = layer->out_shape();
  const int steps = StepsOf(layer->node());
  const int64_t hidden = y[y.dims() - 1];
  const OnnxNames weights = Weights(form, layer);
  OnnxNames in = {layer->time_steps().Sequence(layer->in()[0], steps, {x[x.dims() - 1]})};
  in.insert(in.end(), weights.begin(), weights.end());
  in.push_back("");  // lengths of sequences: all steps for each
  OnnxNames out = {graph.Fresh(layer->Inner("Y"))};
  const std::vector<const char*> states =
      form.has_c ? std::vector<const char*>{"state", "cell"} : std::vector<const char*>{"state"};
  for (size_t k = 0; k < states.size(); ++k) {
    const std::string what = states[k], name = layer->node().full_name;
    out.push_back(graph.Fresh(form.carry_state ? StrCat(name, ".next_", what)
                                               : layer->Inner("last_" + what)));
    if (form.carry_state)
      in.push_back(Carry(what, out.back(), layer));
    else if (layer->in().size() > 1 + k)
      in.push_back(layer->Step(
          "Reshape", {layer->in()[1 + k], graph.Ints(layer->Inner("shape"), {1, -1, hidden})}));
  }
  while (in.back().empty()) in.pop_back();
  OnnxAttributes attributes = form.attributes;
  attributes.push_back(OnnxInt("hidden_size", hidden));
  graph.Add(form.op, in, out, attributes);
  layer->GiveRows(steps == 1 ? OnnxNames(out.begin() + 1, out.end()) : OnnxNames{out[0]});
}

bool HasBias(const OnnxLayer& layer, size_t gates) {
  return layer.node().declared().params.size() > 2 * gates;
}

// The gates are z, r, c.
void WriteGru(OnnxLayer* layer) {
  Write({.op = "GRU",
         .gates = {0, 1, 2},
         .carry_state = layer->conf().gru_conf().carry_state(),
         .bias = HasBias(*layer, 3),
         .attributes = {OnnxInt("linear_before_reset", 1)}},
        layer);
}

// The gates are i, f, g, o; ONNX's order is i, o, f, g.
void WriteLstm(OnnxLayer* layer) {
  Write({.op = "LSTM",
         .gates = {0, 3, 1, 2},
         .carry_state = layer->conf().lstm_conf().carry_state(),
         .bias = HasBias(*layer, 4),
         .attributes = {},
         .has_c = true},
        layer);
}

void WriteRnn(OnnxLayer* layer) {
  Write({.op = "RNN",
         .gates = {0},
         .carry_state = layer->conf().rnn_conf().carry_state(),
         .bias = HasBias(*layer, 1),
         .attributes = {}},
        layer);
}

SINGA_REGISTER_ONNX(kGRU, WriteGru);
SINGA_REGISTER_ONNX(kLSTM, WriteLstm);
SINGA_REGISTER_ONNX(kRNN, WriteRnn);

}  // namespace
}  // namespace singa
