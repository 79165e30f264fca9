// If several nodes read a step of a value, each node that produces the value gets a kSplit. The
// split's outputs alias its source's data, and its backward adds their gradients in the readers'
// order.
#include <algorithm>
#include <map>

#include "nn/graph/graph.h"

namespace singa {
namespace {

struct ValueReader {
  int node, slot;
};

bool Overlap(const Read& a, const Read& b) {
  return a.first_step < b.first_step + b.steps && b.first_step < a.first_step + a.steps;
}

// Gives each reader the first output whose other readers read no step of it.
std::vector<int> AssignOutputs(const Graph& graph, const std::vector<ValueReader>& readers) {
  std::vector<std::vector<Read>> taken;
  std::vector<int> outputs;
  for (const ValueReader& reader : readers) {
    const Read& read = graph.nodes[reader.node].in[reader.slot];
    size_t k = 0;
    while (k < taken.size() && std::any_of(taken[k].begin(), taken[k].end(),
                                           [&](const Read& r) { return Overlap(r, read); }))
      ++k;
    if (k == taken.size()) taken.emplace_back();
    taken[k].push_back(read);
    outputs.push_back(static_cast<int>(k));
  }
  return outputs;
}

int AddSplitLayer(const GraphLayer& source, int outputs, Graph* graph) {
  GraphLayer split;
  split.conf.set_name("split(" + source.conf.name() + ")");
  split.conf.set_type(kSplit);
  split.conf.mutable_split_conf()->set_num_splits(outputs);
  split.path = source.path;
  split.wiring.num_outputs = outputs;
  split.steps = source.steps;
  split.part = source.part;
  split.folded = source.folded;
  split.inserted = true;
  graph->layers.push_back(std::move(split));
  return static_cast<int>(graph->layers.size()) - 1;
}

void SplitValue(int value, const std::vector<ValueReader>& readers, Graph* graph) {
  const std::vector<int> assigned = AssignOutputs(*graph, readers);
  const int outputs = 1 + *std::max_element(assigned.begin(), assigned.end());
  if (outputs == 1) return;
  const int layer = AddSplitLayer(graph->layers[graph->values[value].layer], outputs, graph);
  const int first = static_cast<int>(graph->values.size());
  for (int k = 0; k < outputs; ++k) graph->values.push_back({layer, graph->values[value].steps});
  for (size_t i = 0; i < readers.size(); ++i)
    graph->nodes[readers[i].node].in[readers[i].slot].value = first + assigned[i];
  const size_t nodes = graph->nodes.size();
  for (size_t i = 0; i < nodes; ++i) {
    for (size_t k = 0; k < graph->nodes[i].out.size(); ++k) {
      const Read produced = graph->nodes[i].out[k];
      if (produced.value != value) continue;
      Node split{layer, produced.first_step, {produced}, {}};
      for (int o = 0; o < outputs; ++o)
        split.out.push_back({first + o, produced.first_step, produced.steps});
      graph->nodes.push_back(std::move(split));
    }
  }
}

// Returns whether a layer gives time steps without gradients. They need no splits, of which each
// step would take one.
bool IsText(const GraphLayer& layer) {
  return layer.wiring.outputs_are_steps && !layer.wiring.differentiable;
}

}  // namespace

void InsertSplits(Graph* graph) {
  std::map<int, std::vector<ValueReader>> readers;
  for (size_t i = 0; i < graph->nodes.size(); ++i)
    for (size_t slot = 0; slot < graph->nodes[i].in.size(); ++slot)
      readers[graph->nodes[i].in[slot].value].push_back(
          {static_cast<int>(i), static_cast<int>(slot)});
  for (const auto& [value, list] : readers)
    if (list.size() > 1 && !IsText(graph->layers[graph->values[value].layer]))
      SplitValue(value, list, graph);
}

}  // namespace singa
