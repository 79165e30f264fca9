#include "nn/graph/graph.h"

namespace singa {

void KeepNeeded(Graph* graph) {
  if (graph->output < 0) return;
  std::vector<std::vector<int>> makers(graph->values.size());  // nodes by value and step
  for (size_t v = 0; v < makers.size(); ++v) makers[v].assign(graph->values[v].steps, -1);
  std::vector<int> open;
  std::vector<char> needed(graph->nodes.size());
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    const Node& node = graph->nodes[i];
    for (const Read& out : node.out)
      for (int t = 0; t < out.steps; ++t)
        makers[out.value][out.first_step + t] = static_cast<int>(i);
    if (node.layer != graph->output) continue;
    needed[i] = 1;
    open.push_back(static_cast<int>(i));
  }
  while (!open.empty()) {
    const Node& node = graph->nodes[open.back()];
    open.pop_back();
    for (const Read& in : node.in)
      for (int t = 0; t < in.steps; ++t) {
        const int maker = makers[in.value][in.first_step + t];
        if (maker < 0 || needed[maker]) continue;
        needed[maker] = 1;
        open.push_back(maker);
      }
  }
  std::vector<Node> kept;
  for (size_t i = 0; i < needed.size(); ++i)
    if (needed[i]) kept.push_back(std::move(graph->nodes[i]));
  graph->nodes = std::move(kept);
}

}  // namespace singa
