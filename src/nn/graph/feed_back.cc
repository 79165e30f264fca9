#include "nn/graph/graph.h"

namespace singa {
namespace {

int Find(const NetOfPhase& net, const Graph& graph, const std::string& name, size_t errors_before) {
  std::vector<std::string> known;
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    if (graph.layers[i].conf.name() == name) return static_cast<int>(i);
    known.push_back(graph.layers[i].conf.name());
  }
  throw ConfigError("rnn_dummy_conf.dynamic_srclayer",
                    NoSuchLayer(net, name, known, errors_before));
}

void LinkDummy(const NetOfPhase& net, Graph* graph, GraphLayer* dummy, size_t errors_before) {
  const std::string& name = dummy->conf.rnn_dummy_conf().dynamic_srclayer();
  if (!dummy->in.empty())
    throw ConfigError("srclayers", "must be none: dynamic_srclayer names what it reads");
  if (name.empty()) return;
  Link link;
  link.source = Find(net, *graph, name, errors_before);
  link.feedback = link.delayed = true;
  if (graph->layers[link.source].wiring.num_outputs != 1)
    throw ConfigError("rnn_dummy_conf.dynamic_srclayer",
                      StrCat("layer \"", name, "\" must have one output, has ",
                             graph->layers[link.source].wiring.num_outputs));
  dummy->in.push_back(link);
}

// Returns whether `layer` is computed from `source`. A layer that is read back must depend on the
// dummy, or nothing orders the two.
bool DependsOn(const Graph& graph, int layer, int source) {
  std::vector<char> seen(graph.layers.size());
  std::vector<int> open = {layer};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    for (const Link& link : graph.layers[at].in) {
      if (link.feedback || seen[link.source]) continue;
      if (link.source == source) return true;
      seen[link.source] = 1;
      open.push_back(link.source);
    }
  }
  return false;
}

void CheckLoop(const Graph& graph, int dummy) {
  const GraphLayer& layer = graph.layers[dummy];
  if (layer.in.empty() || DependsOn(graph, layer.in[0].source, dummy)) return;
  throw ConfigError("rnn_dummy_conf.dynamic_srclayer",
                    StrCat("must be a layer that is computed from this one, \"",
                           layer.conf.rnn_dummy_conf().dynamic_srclayer(), "\" is not"));
}

template <typename Conf>
void CarryUnlessSaid(Conf* conf) {
  if (!conf->has_carry_state()) conf->set_carry_state(true);
}

// Sets carry_state unless the conf does: each batch is one step of the text, and the state has to
// last for all of it. A layer that gets its state from another layer stays unchanged.
void CarryState(GraphLayer* layer) {
  if (layer->in.size() > 1) return;
  if (IsOfType(*layer, kGRU)) CarryUnlessSaid(layer->conf.mutable_gru_conf());
  if (IsOfType(*layer, kLSTM)) CarryUnlessSaid(layer->conf.mutable_lstm_conf());
  if (IsOfType(*layer, kRNN)) CarryUnlessSaid(layer->conf.mutable_rnn_conf());
}

// Adds an error for a layer that needs the earlier time steps, and keeps none of them: each batch
// is one step.
void CheckMemory(GraphLayer* layer, ConfigErrors* errors) {
  if (!IsOfType(*layer, kAttention) && !IsOfType(*layer, kPositionEmbedding)) return;
  const ConfigError error("type",
                          StrCat(LayerType_Name(layer->conf.type()),
                                 " must not be in a net that reads its own output "
                                 "(kRNNDummy): it would see one time step and none before"));
  errors->push_back(error.Under(layer->path));
  layer->faulty = true;
}

// Returns the number of scores from which layer `index` gets its index; 0: the conf does not say.
int ScoresBelow(const Graph& graph, int index) {
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    const GraphLayer& layer = graph.layers[index];
    if (IsOfType(layer, kInnerProduct)) return layer.conf.innerproduct_conf().num_output();
    if (layer.in.empty()) return 0;
    index = layer.in[0].source;
  }
  return 0;
}

// Sets the vocabulary size of a kOneHot that has none, as in SINGA 0.3's sample.conf. It is the
// number of scores from which the index is chosen.
void SizeOneHot(const Graph& graph, GraphLayer* one_hot) {
  if (!IsOfType(*one_hot, kOneHot) || one_hot->conf.onehot_conf().has_vocab_size()) return;
  if (one_hot->in.size() != 1) return;
  const GraphLayer& dummy = graph.layers[one_hot->in[0].source];
  if (!IsOfType(dummy, kRNNDummy) || dummy.in.empty()) return;
  const int scores = ScoresBelow(graph, dummy.in[0].source);
  if (scores > 0) one_hot->conf.mutable_onehot_conf()->set_vocab_size(scores);
}

}  // namespace

void FeedBack(const NetOfPhase& net, Graph* graph, ConfigErrors* errors) {
  bool any = false;
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    GraphLayer& layer = graph->layers[i];
    if (layer.faulty || !IsOfType(layer, kRNNDummy)) continue;
    try {
      LinkDummy(net, graph, &layer, errors->size());
      CheckLoop(*graph, static_cast<int>(i));
      any = true;
    } catch (const ConfigError& error) {
      errors->push_back(error.Under(layer.path));
      layer.faulty = true;
    }
  }
  if (!any) return;
  for (GraphLayer& layer : graph->layers) {
    CarryState(&layer);
    CheckMemory(&layer, errors);
    SizeOneHot(*graph, &layer);
  }
}

}  // namespace singa
