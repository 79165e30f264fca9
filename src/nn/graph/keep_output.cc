#include <algorithm>

#include "base/text/edit_distance.h"
#include "nn/graph/graph.h"

namespace singa {
namespace {

// Types count in hundreds: 300s are losses, 400s outputs.
bool IsOfKind(const GraphLayer& layer, int hundred) {
  return !layer.conf.has_user_type() && layer.conf.type() / 100 == hundred;
}

[[noreturn]] void ThrowChoice(const Graph& graph, const std::vector<int>& layers,
                              const std::string& what) {
  std::string names;
  for (int layer : layers)
    names += StrCat(names.empty() ? " \"" : ", \"", graph.layers[layer].conf.name(), "\"");
  throw ConfigError(
      "", StrCat("has ", layers.size(), " ", what, names, ": say which layer's output is wanted"),
      kExitUsage);
}

int FirstSource(const Graph& graph, int layer) {
  const GraphLayer& reader = graph.layers[layer];
  return reader.in.empty() ? layer : reader.in[0].source;
}

// Returns the one layer of a net without a loss that no layer reads, except output layers.
int OnlyEnd(const Graph& graph) {
  std::vector<char> read(graph.layers.size());
  for (const GraphLayer& layer : graph.layers)
    for (const Link& link : layer.in)
      read[link.source] |= !IsOfKind(layer, 4) && !link.feedback && link.kind != Link::kPrevious;
  std::vector<int> ends;
  for (size_t i = 0; i < graph.layers.size(); ++i)
    if (!read[i] && !IsOfKind(graph.layers[i], 4)) ends.push_back(static_cast<int>(i));
  if (ends.size() != 1) ThrowChoice(graph, ends, "layers that no other reads:");
  return ends[0];
}

int DefaultOutput(const Graph& graph) {
  std::vector<int> losses;
  for (size_t i = 0; i < graph.layers.size(); ++i)
    if (IsOfKind(graph.layers[i], 3)) losses.push_back(static_cast<int>(i));
  if (losses.empty()) return OnlyEnd(graph);
  if (losses.size() > 1) ThrowChoice(graph, losses, "losses:");
  const bool scores = ScoresOf(graph.layers[losses[0]].conf) != kUserLayer;
  return scores ? losses[0] : FirstSource(graph, losses[0]);
}

void CheckOutput(const GraphLayer& layer) {
  if (layer.wiring.writes_file)
    throw ConfigError("",
                      StrCat("layer \"", layer.conf.name(),
                             "\" writes a file and has no feature: name the layer that it reads"),
                      kExitUsage);
}

int FindOutput(const NetOfPhase& net, const std::string& name, const Graph& graph) {
  if (name.empty()) return DefaultOutput(graph);
  std::vector<std::string> known;
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    if (graph.layers[i].conf.name() == name) {
      CheckOutput(graph.layers[i]);
      return static_cast<int>(i);
    }
    known.push_back(graph.layers[i].conf.name());
  }
  // NoSuchLayer names other phases that have the layer. If none has it, suggest similar names.
  std::string text = NoSuchLayer(net, name, {}, 0);
  if (text.ends_with("in this phase")) text += DidYouMeanOneOf(name, known);
  throw ConfigError("", text, kExitUsage);
}

// Turns a loss into the layer that gives the same feature without labels or targets.
void MakeScores(LayerType type, GraphLayer* layer) {
  layer->conf.set_type(type);
  if (layer->in.size() > 1) layer->in.resize(1);
  layer->wiring = MakeLayer(layer->conf)->wiring(layer->conf);
}

std::vector<char> Ancestors(const Graph& graph, int output) {
  std::vector<char> needed(graph.layers.size());
  std::vector<int> open = {output};
  needed[output] = 1;
  while (!open.empty()) {
    const int layer = open.back();
    open.pop_back();
    for (const Link& link : graph.layers[layer].in) {
      if (!needed[link.source]) open.push_back(link.source);
      needed[link.source] = 1;
    }
  }
  return needed;
}

// Removes the layers that are not `needed`.
void KeepOnly(const std::vector<char>& needed, Graph* graph) {
  std::vector<int> place(needed.size(), -1);
  std::vector<GraphLayer> kept;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    place[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(graph->layers[i]));
  }
  for (GraphLayer& layer : kept)
    for (Link& link : layer.in) link.source = place[link.source];
  graph->layers = std::move(kept);
  graph->output = place[graph->output];
}

// Leaves an input layer its first output, the data: given rows have no targets.
void KeepData(const std::string& output, Graph* graph) {
  for (const GraphLayer& layer : graph->layers)
    for (const Link& link : layer.in) {
      const GraphLayer& source = graph->layers[link.source];
      if (source.wiring.outputs_by_name && link.output > 0)
        throw ConfigError("", StrCat("layer \"", output, "\" needs layer \"", layer.conf.name(),
                                     "\", which reads the targets of layer \"", source.conf.name(),
                                     "\": rows have none"));
    }
  for (GraphLayer& layer : graph->layers)
    if (layer.wiring.outputs_by_name) layer.wiring.num_outputs = 1;
}

void CheckInput(const std::string& output, const Graph& graph) {
  std::vector<int> inputs;
  for (size_t i = 0; i < graph.layers.size(); ++i) {
    const GraphLayer& layer = graph.layers[i];
    if (layer.wiring.is_input && layer.in.empty()) inputs.push_back(static_cast<int>(i));
    if (layer.wiring.step_shift > 0)
      throw ConfigError("", StrCat("layer \"", output, "\" needs layer \"", layer.conf.name(),
                                   "\", which reads the step behind the last: rows have none"));
  }
  if (inputs.empty())
    throw ConfigError("", StrCat("layer \"", output, "\" is computed from no input layer"));
  if (inputs.size() == 1) return;
  std::string names;
  for (int input : inputs)
    names += StrCat(names.empty() ? "\"" : ", \"", graph.layers[input].conf.name(), "\"");
  throw ConfigError("", StrCat("layer \"", output, "\" is computed from ", inputs.size(),
                               " input layers, ", names, ": rows can be given to one"));
}

}  // namespace

LayerType ScoresOf(const LayerProto& layer) {
  if (layer.has_user_type()) return kUserLayer;
  if (layer.type() == kSigmoidCrossEntropyLoss) return kSigmoid;
  const bool softmax = layer.type() == kSoftmaxLoss || layer.type() == kCudnnSoftmaxLoss;
  return softmax ? kSoftmax : kUserLayer;
}

void KeepOutput(const NetOfPhase& net, const std::string& output, Graph* graph,
                ConfigErrors* errors) {
  if (!errors->empty()) return;
  try {
    const int index = FindOutput(net, output, *graph);
    GraphLayer& layer = graph->layers[index];
    const std::string name = layer.conf.name();
    if (layer.wiring.num_outputs != 1 && !layer.wiring.outputs_by_name)
      throw ConfigError("",
                        StrCat("layer \"", name, "\" has ", layer.wiring.num_outputs,
                               " outputs: say one that reads it"),
                        kExitUsage);
    if (const LayerType scores = ScoresOf(layer.conf); scores != kUserLayer)
      MakeScores(scores, &layer);
    graph->output = index;
    KeepOnly(Ancestors(*graph, index), graph);
    CheckInput(name, *graph);
    KeepData(name, graph);
  } catch (const ConfigError& error) {
    errors->push_back(error);
  }
}

}  // namespace singa
