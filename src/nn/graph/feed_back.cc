#include "base/edit_distance.h"
#include "nn/graph/graph.h"

namespace singa {
namespace {

bool IsOfType(const GraphLayer& layer, LayerType type) {
  return !layer.conf.has_user_type() && layer.conf.type() == type;
}

int Find(const Graph& graph, const std::string& name) {
  std::vector<std::string> known;
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    if (graph.layers[i].conf.name() == name) return static_cast<int>(i);
    known.push_back(graph.layers[i].conf.name());
  }
  throw ConfigError("rnn_dummy_conf.dynamic_srclayer",
                    StrCat("no layer \"", name, "\" in this phase", DidYouMean(name, known)));
}

void LinkDummy(Graph* graph, GraphLayer* dummy) {
  const std::string& name = dummy->conf.rnn_dummy_conf().dynamic_srclayer();
  if (!dummy->in.empty())
    throw ConfigError("srclayers", "must be none: dynamic_srclayer names what it reads");
  if (name.empty()) return;
  Link link;
  link.source = Find(*graph, name);
  link.feedback = link.delayed = true;
  if (graph->layers[link.source].wiring.num_outputs != 1)
    throw ConfigError("rnn_dummy_conf.dynamic_srclayer",
                      StrCat("layer \"", name, "\" must have one output, has ",
                             graph->layers[link.source].wiring.num_outputs));
  dummy->in.push_back(link);
}

// One state for the whole text, though each batch is one step of it. A state that another layer
// gives stays what the conf says.
void CarryState(GraphLayer* layer) {
  if (layer->in.size() > 1) return;
  if (IsOfType(*layer, kGRU)) layer->conf.mutable_gru_conf()->set_carry_state(true);
  if (IsOfType(*layer, kLSTM)) layer->conf.mutable_lstm_conf()->set_carry_state(true);
  if (IsOfType(*layer, kRNN)) layer->conf.mutable_rnn_conf()->set_carry_state(true);
}

// The scores that an index of layer `index` is one of; 0: not said by the conf.
int ScoresBelow(const Graph& graph, int index) {
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    const GraphLayer& layer = graph.layers[index];
    if (IsOfType(layer, kInnerProduct)) return layer.conf.innerproduct_conf().num_output();
    if (layer.in.empty()) return 0;
    index = layer.in[0].source;
  }
  return 0;
}

// SINGA 0.3's sample.conf leaves the size out: it is the number of scores that the index ranks.
void SizeOneHot(const Graph& graph, GraphLayer* one_hot) {
  if (!IsOfType(*one_hot, kOneHot) || one_hot->conf.onehot_conf().has_vocab_size()) return;
  if (one_hot->in.size() != 1) return;
  const GraphLayer& dummy = graph.layers[one_hot->in[0].source];
  if (!IsOfType(dummy, kRNNDummy) || dummy.in.empty()) return;
  const int scores = ScoresBelow(graph, dummy.in[0].source);
  if (scores > 0) one_hot->conf.mutable_onehot_conf()->set_vocab_size(scores);
}

}  // namespace

void FeedBack(Graph* graph, ConfigErrors* errors) {
  bool any = false;
  for (GraphLayer& layer : graph->layers) {
    if (layer.faulty || !IsOfType(layer, kRNNDummy)) continue;
    try {
      LinkDummy(graph, &layer);
      any = true;
    } catch (const ConfigError& error) {
      errors->push_back(error.Under(layer.path));
      layer.faulty = true;
    }
  }
  if (!any) return;
  for (GraphLayer& layer : graph->layers) {
    CarryState(&layer);
    SizeOneHot(*graph, &layer);
  }
}

}  // namespace singa
