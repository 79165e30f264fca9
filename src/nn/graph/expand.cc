#include "nn/graph/graph.h"

namespace singa {
namespace {

int OutputsOf(const GraphLayer& layer) {
  return layer.wiring.num_outputs + layer.wiring.state_outputs;
}

constexpr int64_t kMostPorts = 4000000;

// Appends what the node of step `t` reads by one link. The node of a folded layer has all steps.
void AppendReads(const Graph& graph, const GraphLayer& layer, const Link& link,
                 const std::vector<std::vector<int>>& values, int t, std::vector<Read>* reads) {
  const GraphLayer& source = graph.layers[link.source];
  const int value = values[link.source][source.wiring.outputs_are_steps ? 0 : link.output];
  const auto add = [&](int first, int steps) {
    reads->push_back({value, first, steps, link.feedback, link.delayed});
  };
  switch (link.kind) {
    case Link::kSameStep:
      if (source.wiring.outputs_are_steps)
        add(t + layer.wiring.step_shift, layer.folded ? layer.steps : 1);
      else if (layer.folded)
        add(0, layer.steps);
      else if (source.steps == 1 && link.shift == 0)
        add(0, 1);
      else if (t >= link.shift && t - link.shift < source.steps)
        add(t - link.shift, 1);
      break;
    case Link::kAllSteps:
      for (int s = 0; s < source.steps; ++s) add(s, 1);
      break;
    case Link::kLastToFirst:
      if (t == 0) add(source.steps - 1, 1);
      break;
    case Link::kPrevious:
      if (!layer.folded && t > 0) add(t - 1, 1);
      break;
  }
}

// Returns the number of reads and writes of all nodes of a layer.
int64_t PortsOf(const Graph& graph, const GraphLayer& layer) {
  int64_t ports = OutputsOf(layer);
  for (const Link& link : layer.in)
    ports += link.kind == Link::kAllSteps ? graph.layers[link.source].steps : 1;
  return ports * (layer.folded ? 1 : layer.steps);
}

}  // namespace

void Expand(Graph* graph, ConfigErrors* errors) {
  int64_t ports = 0;
  for (const GraphLayer& layer : graph->layers) {
    ports += PortsOf(*graph, layer);
    if (ports <= kMostPorts) continue;
    errors->push_back(ConfigError(layer.path, StrCat("with it the net has more than ", kMostPorts,
                                                     " links between time steps of layers")));
    return;
  }
  std::vector<std::vector<int>> values(graph->layers.size());  // by layer and output
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    const GraphLayer& layer = graph->layers[i];
    const bool one = layer.wiring.outputs_are_steps;
    for (int k = 0; k < (one ? 1 : OutputsOf(layer)); ++k) {
      values[i].push_back(static_cast<int>(graph->values.size()));
      graph->values.push_back({static_cast<int>(i), one ? layer.wiring.num_outputs : layer.steps});
    }
  }
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    const GraphLayer& layer = graph->layers[i];
    if (layer.faulty) continue;
    for (int t = 0; t < (layer.folded ? 1 : layer.steps); ++t) {
      Node node{static_cast<int>(i), t, {}, {}};
      for (const Link& link : layer.in) AppendReads(*graph, layer, link, values, t, &node.in);
      if (layer.wiring.outputs_are_steps)
        for (int k = 0; k < layer.wiring.num_outputs; ++k) node.out.push_back({values[i][0], k, 1});
      else
        for (int value : values[i]) node.out.push_back({value, t, layer.folded ? layer.steps : 1});
      graph->nodes.push_back(std::move(node));
    }
  }
}

}  // namespace singa
