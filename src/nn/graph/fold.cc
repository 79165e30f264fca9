// Folding: T copies of a row-wise layer, joined one-to-one, compute the same as one copy on the
// rows of all steps; T copies of a recurrent layer, the same as one pass over the sequence.
#include "nn/graph/graph.h"

namespace singa {
namespace {

bool SameSteps(const Graph& graph, const GraphLayer& layer, const Link& link) {
  const GraphLayer& source = graph.layers[link.source];
  return link.kind == Link::kSameStep && link.shift == 0 && !link.feedback &&
         (source.wiring.outputs_are_steps || source.steps == layer.steps);
}

bool CanFold(const Graph& graph, const GraphLayer& layer) {
  if (layer.steps == 1 || layer.in.empty() || layer.wiring.outputs_are_steps) return false;
  if (layer.wiring.row_wise) {
    for (const Link& link : layer.in)
      if (!SameSteps(graph, layer, link)) return false;
    return true;
  }
  if (!layer.wiring.recurrent || !SameSteps(graph, layer, layer.in[0])) return false;
  int first_states = 0;
  for (size_t slot = 1; slot < layer.in.size(); ++slot) {
    if (layer.in[slot].kind == Link::kPrevious) continue;
    if (layer.in[slot].kind != Link::kLastToFirst) return false;
    ++first_states;
  }
  return first_states <= 1;
}

}  // namespace

void Fold(Graph* graph) {
  for (GraphLayer& layer : graph->layers) layer.folded = CanFold(*graph, layer);
}

}  // namespace singa
