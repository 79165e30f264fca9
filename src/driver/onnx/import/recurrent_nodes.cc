// Reads GRU, LSTM and RNN over all time steps, or over one.
#include <algorithm>
#include <climits>
#include <utility>

#include "driver/onnx/import/node_import.h"

namespace singa {
namespace {

struct RecurrentNode {
  LayerType type;
  std::vector<int64_t> gates;          // singa's gates in the order of ONNX
  std::vector<std::string> functions;  // of the gates
  int64_t exact_bias = -1;             // the gate whose second bias must be 0; -1: none
};

class RecurrentImport {
 public:
  RecurrentImport(const RecurrentNode& form, NodeImport* node) : form_(form), node_(*node) {
    hidden_ = node->Int("hidden_size", 0);
    if (hidden_ < 1 || hidden_ > INT_MAX) node->Refuse(StrCat("hidden_size is ", hidden_));
  }

  // Adds the layer, and gives its outputs.
  void Read() {
    CheckForm();
    const Sizes dims = node_.FeatureDims(kX);
    const int64_t steps = node_.state().steps;
    const LayerOutput x = node_.Feature(kX);
    const int64_t units = UnitsOf(node_.graph().ShapeOf(x));
    if (dims != Sizes{steps > 1 ? kFreeSteps : 1, kFreeBatch, units})
      node_.Refuse(StrCat("reads ", SizesText(dims), "; it must be (T, N, units)"));
    std::vector<LayerOutput> sources = {x};
    const bool carries = ReadFirstStates(&sources);
    std::vector<ImportedParam> params = Params(units);
    ImportedLayer& layer = node_.Add(form_.type, sources, {hidden_});
    layer.params = std::move(params);
    SetConf(carries, &layer.conf);
    GiveOutputs(carries, steps);
  }

 private:
  // Inputs of the three operators.
  enum Input : size_t { kX, kW, kR, kB, kLengths, kFirstH, kFirstC, kPeepholes };

  int64_t gates() const { return std::ssize(form_.gates); }

  void CheckForm() const {
    if (node_.Text("direction", "forward") != "forward") node_.Refuse("must read forward");
    if (node_.Int("layout", 0) != 0) node_.Refuse("has layout 1: (N, T, units)");
    for (const char* name : {"clip", "activation_alpha", "activation_beta"})
      if (node_.node().Find(name)) node_.Refuse(StrCat("has ", name));
    const OnnxAttribute* const functions = node_.node().Find("activations");
    if (functions && functions->texts != form_.functions) node_.Refuse("has other activations");
    if (form_.type == kGRU && node_.Int("linear_before_reset", 0) != 1)
      node_.Refuse("must have linear_before_reset: 1");
    if (node_.Int("input_forget", 0) != 0) node_.Refuse("has input_forget");
    if (node_.Has(kLengths) || node_.Has(kPeepholes))
      node_.Refuse("has lengths of sequences, or peepholes");
    if (node_.Has(kFirstC) && form_.type != kLSTM) node_.Refuse("has a state that only LSTM has");
  }

  // Adds features that are states before the first step to `*sources`. Returns whether the states
  // go from one run of the model to the next.
  bool ReadFirstStates(std::vector<LayerOutput>* sources) const {
    const int states = form_.type == kLSTM ? 2 : 1;
    int carried = 0;
    for (size_t i : {kFirstH, kFirstC}) {
      if (!node_.Has(i) || IsZero(i)) continue;
      if (node_.in(i).form == ValueForm::kState) {
        if (node_.in(i).is_next_state) node_.Refuse("begins with the last cells of another layer");
        ++carried;
        continue;
      }
      const Sizes dims = node_.FeatureDims(i);
      if (dims != Sizes{1, kFreeBatch, hidden_} || (i == kFirstC && sources->size() != 2))
        node_.Refuse(StrCat("begins with a state of ", SizesText(dims)));
      sources->push_back(node_.Feature(i));
    }
    if (carried > 0 && carried < states) node_.Refuse("carries one of its two states");
    return carried > 0;
  }

  bool IsZero(size_t i) const {
    if (node_.in(i).form == ValueForm::kFilled) return node_.in(i).factor == 0;
    if (!node_.HasFloats(i)) return false;
    const std::vector<float> state = node_.Floats(i);
    return std::all_of(state.begin(), state.end(), [](float number) { return number == 0; });
  }

  // Returns the params: the matrices of the input, those of the state, and the biases, each in the
  // order of singa's gates.
  std::vector<ImportedParam> Params(int64_t units) const {
    std::vector<ImportedParam> params;
    AddGates(kW, {1, gates() * hidden_, units}, {hidden_, units}, &params);
    AddGates(kR, {1, gates() * hidden_, hidden_}, {hidden_, hidden_}, &params);
    if (!node_.Has(kB)) return params;
    AddGates(kB, {1, 2 * gates() * hidden_}, {hidden_}, &params);
    const std::vector<float> biases = node_.Floats(kB);
    const int64_t half = gates() * hidden_;
    const auto is_zero = [](float number) { return number == 0; };
    for (int64_t gate = 0; gate < gates(); ++gate) {
      ImportedParam& bias = params[2 * gates() + gate];
      const auto state_bias = biases.begin() + half + bias.first;
      if (std::all_of(state_bias, state_bias + hidden_, is_zero)) continue;
      if (gate == form_.exact_bias)
        node_.Refuse("has a bias of the state behind its reset gate, which the layer has not");
      bias.added = half + bias.first;
    }
    return params;
  }

  void AddGates(size_t input, const Sizes& whole, const Sizes& dims,
                std::vector<ImportedParam>* params) const {
    const ImportedParam all = node_.Weight(input);
    if (all.dims != whole)
      node_.Refuse(StrCat("has an input ", input, " of ", SizesText(all.dims), "; it must be ",
                          SizesText(whole)));
    for (int64_t gate = 0; gate < gates(); ++gate) {
      const int64_t place =
          std::find(form_.gates.begin(), form_.gates.end(), gate) - form_.gates.begin();
      params->push_back({.tensor = all.tensor, .dims = dims, .first = place * ProductOf(dims)});
    }
  }

  void SetConf(bool carries, LayerProto* conf) const {
    const auto set = [&](auto* proto) {
      proto->set_dim_hidden(static_cast<int32_t>(hidden_));
      if (!node_.Has(kB)) proto->set_bias_term(false);
      if (carries) proto->set_carry_state(true);
    };
    if (form_.type == kGRU) return set(conf->mutable_gru_conf());
    if (form_.type == kLSTM) return set(conf->mutable_lstm_conf());
    set(conf->mutable_rnn_conf());
  }

  // The last state is the last time step. With `carries` it is also the next run's first state.
  void GiveOutputs(bool carries, int64_t steps) const {
    ImportValue value{.form = ValueForm::kFeature,
                      .dims = {steps > 1 ? kFreeSteps : 1, 1, kFreeBatch, hidden_}};
    value.source = {node_.graph().last_layer(), 0};
    node_.Give(value, 0);
    value.dims = {1, kFreeBatch, hidden_};
    value.source.last = steps > 1;
    value.is_next_state = carries;
    node_.Give(value, 1);
    if (!carries || form_.type != kLSTM) return;
    value.form = ValueForm::kState;
    node_.Give(value, 2);
  }

  const RecurrentNode& form_;
  NodeImport& node_;
  int64_t hidden_ = 0;
};

// The layer's gates are z, r, c.
void ReadGru(NodeImport* node) {
  RecurrentImport(
      {.type = kGRU, .gates = {0, 1, 2}, .functions = {"Sigmoid", "Tanh"}, .exact_bias = 2}, node)
      .Read();
}

// The layer's gates are i, f, g, o; ONNX's order is i, o, f, g.
void ReadLstm(NodeImport* node) {
  RecurrentImport({.type = kLSTM, .gates = {0, 3, 1, 2}, .functions = {"Sigmoid", "Tanh", "Tanh"}},
                  node)
      .Read();
}

void ReadRnn(NodeImport* node) {
  RecurrentImport({.type = kRNN, .gates = {0}, .functions = {"Tanh"}}, node).Read();
}

SINGA_REGISTER_ONNX_IMPORT(GRU, ReadGru);
SINGA_REGISTER_ONNX_IMPORT(LSTM, ReadLstm);
SINGA_REGISTER_ONNX_IMPORT(RNN, ReadRnn);

}  // namespace
}  // namespace singa
