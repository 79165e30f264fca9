#include <algorithm>
#include <set>

#include "base/text/element_path.h"
#include "nn/graph/graph.h"

namespace singa {
namespace {

// Returns for each node the nodes that must run before it.
std::vector<std::vector<int>> Predecessors(const Graph& graph) {
  std::vector<std::vector<std::pair<Read, int>>> producers(graph.values.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const Read& out : graph.nodes[i].out)
      producers[out.value].emplace_back(out, static_cast<int>(i));
  std::vector<std::vector<int>> before(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const Read& in : graph.nodes[i].in) {
      if (in.feedback) continue;
      for (const auto& [out, node] : producers[in.value])
        if (out.first_step < in.first_step + in.steps && in.first_step < out.first_step + out.steps)
          before[i].push_back(node);
    }
  return before;
}

// Returns the names of a cycle's layers, backwards from `start`: each layer reads the next, and the
// last reads the first. Inserted layers are left out.
std::vector<std::string> CycleOf(const Graph& graph, const std::vector<std::vector<int>>& before,
                                 const std::vector<bool>& done, int start) {
  std::vector<std::string> names;
  int node = start;
  do {
    const GraphLayer& layer = graph.layers[graph.nodes[node].layer];
    if (!layer.inserted) names.push_back(layer.conf.name());
    int next = node;
    for (int p : before[node])
      if (!done[p]) next = p;
    node = next;
  } while (node != start);
  return names;
}

// Makes the error of a cycle: "a -> b -> a". Its path is the source that links the first layer into
// the cycle.
ConfigError CycleError(const LayerProto& layer, const std::vector<std::string>& names) {
  const std::string& source = names[1 % names.size()];
  size_t slot = 0;
  for (int i = 0; i < layer.srclayers_size(); ++i) {
    const std::string& text = layer.srclayers(i);
    if (text == source || text.starts_with(source + ":")) slot = i;
  }
  std::string text = names[0];
  for (size_t i = names.size(); i-- > 0;) text += " -> " + names[i];
  return ConfigError(ElementPath("srclayers", slot), "layers form a cycle: " + text);
}

// Returns a node on the cycle whose layer the conf names.
int OnCycle(const Graph& graph, const std::vector<std::vector<int>>& before,
            const std::vector<bool>& done, int node) {
  std::set<int> seen;
  while (seen.insert(node).second || graph.layers[graph.nodes[node].layer].inserted)
    for (int p : before[node])
      if (!done[p]) node = p;
  return node;
}

}  // namespace

void Order(Graph* graph, ConfigErrors* errors) {
  const std::vector<std::vector<int>> before = Predecessors(*graph);
  std::vector<std::vector<int>> after(before.size());
  std::vector<size_t> waiting(before.size());
  std::set<int> ready;
  for (size_t i = 0; i < before.size(); ++i) {
    waiting[i] = before[i].size();
    if (waiting[i] == 0) ready.insert(static_cast<int>(i));
    for (int p : before[i]) after[p].push_back(static_cast<int>(i));
  }
  std::vector<bool> done(before.size());
  std::vector<Node> ordered;
  while (!ready.empty()) {
    const int i = *ready.begin();
    ready.erase(ready.begin());
    done[i] = true;
    ordered.push_back(graph->nodes[i]);
    for (int next : after[i])
      if (--waiting[next] == 0) ready.insert(next);
  }
  if (ordered.size() < before.size()) {
    const int stuck = static_cast<int>(std::find(done.begin(), done.end(), false) - done.begin());
    const int start = OnCycle(*graph, before, done, stuck);
    const GraphLayer& layer = graph->layers[graph->nodes[start].layer];
    errors->push_back(
        CycleError(layer.conf, CycleOf(*graph, before, done, start)).Under(layer.path));
    return;
  }
  graph->nodes = std::move(ordered);
}

}  // namespace singa
