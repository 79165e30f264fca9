#include "nn/plan/net_sources.h"

#include <algorithm>
#include <map>

#include "nn/plan/net_layout.h"

namespace singa {

std::vector<std::pair<int, int>> EdgesOf(const Net& net) {
  const std::vector<Node>& graph = net.layout().graph;
  std::vector<std::vector<int>> producers(net.layout().values.size());
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Read& out : graph[i].out) {
      // One kCharRNN node produces all steps of its value.
      std::vector<int>& of_value = producers[out.value];
      if (of_value.empty() || of_value.back() != static_cast<int>(i))
        of_value.push_back(static_cast<int>(i));
    }
  std::vector<std::pair<int, int>> edges;
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Read& in : graph[i].in)
      for (int p : producers[in.value]) {
        const auto gives = [&in](const Read& out) {
          return out.value == in.value && out.first_step < in.first_step + in.steps &&
                 in.first_step < out.first_step + out.steps;
        };
        if (std::any_of(graph[p].out.begin(), graph[p].out.end(), gives))
          edges.emplace_back(p, static_cast<int>(i));
      }
  return edges;
}

std::vector<NodeSources> SourcesOf(const Net& net) {
  const std::vector<Node>& graph = net.layout().graph;
  std::vector<std::map<int, NetSource>> makers(net.layout().values.size());  // by their first step
  for (size_t i = 0; i < graph.size(); ++i)
    for (size_t k = 0; k < graph[i].out.size(); ++k) {
      const Read& out = graph[i].out[k];
      makers[out.value][out.first_step] = {static_cast<int>(i), static_cast<int>(k), 0, out.steps};
    }
  std::vector<NodeSources> sources(graph.size());
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Read& in : graph[i].in) {
      std::vector<NetSource>& pieces = sources[i].emplace_back();
      for (int t = in.first_step, end = t + in.steps; t < end; t += pieces.back().steps) {
        const auto next = makers[in.value].upper_bound(t);
        pieces.emplace_back();
        if (next == makers[in.value].begin()) continue;
        const auto& [first, maker] = *std::prev(next);
        const int left = first + maker.steps - t;
        if (left > 0)
          pieces.back() = {maker.node, maker.output, t - first, std::min(left, end - t)};
      }
    }
  return sources;
}

}  // namespace singa
