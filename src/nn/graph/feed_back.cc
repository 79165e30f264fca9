#include <algorithm>

#include "nn/graph/carry_steps.h"
#include "nn/graph/graph.h"

namespace singa {
namespace {

constexpr int32_t kMostWindow = 100000;

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
  const RNNDummyProto& conf = dummy->conf.rnn_dummy_conf();
  const std::string& name = conf.dynamic_srclayer();
  if (conf.has_window() && (conf.window() < 1 || conf.window() > kMostWindow))
    throw ConfigError("rnn_dummy_conf.window",
                      StrCat("must be from 1 to ", kMostWindow, ", is ", conf.window()));
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

// Returns the kPositionEmbedding with the fewest rows; null: there is none.
const GraphLayer* SmallestTable(const Graph& graph) {
  const GraphLayer* smallest = nullptr;
  const auto rows = [](const GraphLayer& layer) {
    return layer.conf.position_embedding_conf().max_steps();
  };
  for (const GraphLayer& layer : graph.layers)
    if (IsOfType(layer, kPositionEmbedding) && (!smallest || rows(layer) < rows(*smallest)))
      smallest = &layer;
  return smallest;
}

// Returns the time steps that layers keep: the dummy's window or, if it has none, the rows of the
// smallest table.
int32_t WindowOfDummy(const Graph& graph, const GraphLayer& dummy) {
  const std::string field = "rnn_dummy_conf.window";
  const RNNDummyProto& conf = dummy.conf.rnn_dummy_conf();
  const GraphLayer* const table = SmallestTable(graph);
  if (!table && !conf.has_window())
    throw ConfigError(field, "must be set: layers of the net keep so many time steps");
  if (!table) return conf.window();
  const int32_t rows = std::max(1, table->conf.position_embedding_conf().max_steps());
  if (!conf.has_window()) return std::min(rows, kMostWindow);
  if (conf.window() > rows)
    throw ConfigError(field, StrCat("must be <= ", rows, ", the max_steps of layer \"",
                                    table->conf.name(), "\", is ", conf.window()));
  return conf.window();
}

// Returns the smallest window of all dummies.
int32_t SmallestWindow(const Graph& graph) {
  int32_t window = kMostWindow;
  for (const GraphLayer& layer : graph.layers) {
    if (layer.faulty || !IsOfType(layer, kRNNDummy)) continue;
    try {
      window = std::min(window, WindowOfDummy(graph, layer));
    } catch (const ConfigError& error) {
      throw error.Under(layer.path);
    }
  }
  return window;
}

// Makes `layer` keep the time steps of a window. A dummy keeps those that are computed again.
void KeepWindow(Phase phase, int32_t window, GraphLayer* layer) {
  if (IsOfType(*layer, kRNNDummy)) layer->conf.mutable_rnn_dummy_conf()->set_window(window);
  if (!layer->wiring.carries_steps) return;
  if (phase == kTrain)
    throw ConfigError("type",
                      "must not be trained in a net with a kRNNDummy: each batch is one "
                      "time step, and the layer reads those before");
  CarrySteps(window, layer);
}

// Makes all layers keep the time steps of a window, if one of them reads earlier ones.
void KeepWindows(Phase phase, Graph* graph, ConfigErrors* errors) {
  const bool any = std::any_of(graph->layers.begin(), graph->layers.end(),
                               [](const GraphLayer& layer) { return layer.wiring.carries_steps; });
  if (!any) return;
  int32_t window = 1;
  try {
    if (phase != kTrain) window = SmallestWindow(*graph);
  } catch (const ConfigError& error) {
    errors->push_back(error);
    return;
  }
  for (GraphLayer& layer : graph->layers) {
    try {
      if (!layer.faulty) KeepWindow(phase, window, &layer);
    } catch (const ConfigError& error) {
      AddFault(error, &layer, errors);
    }
  }
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
  for (GraphLayer& layer : graph->layers)
    layer.conf.clear_carried_steps();  // the conf's value has no effect
  bool any = false;
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    GraphLayer& layer = graph->layers[i];
    if (layer.faulty || !IsOfType(layer, kRNNDummy)) continue;
    try {
      LinkDummy(net, graph, &layer, errors->size());
      CheckLoop(*graph, static_cast<int>(i));
      any = true;
    } catch (const ConfigError& error) {
      AddFault(error, &layer, errors);
    }
  }
  if (!any) return;
  for (GraphLayer& layer : graph->layers) {
    // A layer with a second source gets its state from there.
    if (layer.in.size() <= 1) CarryState(false, &layer);
    SizeOneHot(*graph, &layer);
  }
  KeepWindows(net.phase, graph, errors);
}

}  // namespace singa
