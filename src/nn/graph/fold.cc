// Folding: T copies of a row-wise layer, joined one-to-one, compute the same as one copy on the
// rows of all steps. T copies of a recurrent layer compute the same as one pass over the sequence.
// A sequence layer that is not recurrent has no copies: one node reads all time steps.
#include "nn/graph/graph.h"

#include "base/text/element_path.h"

namespace singa {
namespace {

bool SameSteps(const Graph& graph, const GraphLayer& layer, const Link& link) {
  const GraphLayer& source = graph.layers[link.source];
  return link.kind == Link::kSameStep && link.shift == 0 && !link.feedback &&
         (source.wiring.outputs_are_steps || source.steps == layer.steps);
}

// Returns whether a layer cannot compute single time steps, so that one node must compute all.
bool MustFold(const GraphLayer& layer) {
  return layer.wiring.sequence && !layer.wiring.recurrent && layer.steps > 1;
}

bool CanFold(const Graph& graph, const GraphLayer& layer) {
  if (layer.steps == 1 || layer.in.empty() || layer.wiring.outputs_are_steps) return false;
  if (layer.wiring.row_wise || MustFold(layer)) {
    for (const Link& link : layer.in)
      if (!SameSteps(graph, layer, link)) return false;
    return true;
  }
  if (!layer.wiring.sequence || !SameSteps(graph, layer, layer.in[0])) return false;
  int first_states = 0;
  for (size_t slot = 1; slot < layer.in.size(); ++slot) {
    if (layer.in[slot].kind == Link::kPrevious) continue;
    if (layer.in[slot].kind != Link::kLastToFirst) return false;
    ++first_states;
  }
  return first_states <= 1;
}

void CheckFolds(const Graph& graph, const GraphLayer& layer) {
  if (layer.folded || layer.faulty) return;
  for (const Link& link : layer.in)
    if (graph.layers[link.source].faulty) return;
  for (size_t slot = 0; slot < layer.in.size(); ++slot)
    if (!SameSteps(graph, layer, layer.in[slot]))
      throw ConfigError(
          ElementPath("srclayers", static_cast<int64_t>(slot)),
          StrCat("must have the layer's ", layer.steps, " time steps and be read ",
                 "step by step (kUnrollOneToOne, shift 0): the layer sees all ", "steps at once"));
  throw ConfigError("srclayers", "must have a source, of which the layer sees all time steps");
}

}  // namespace

void Fold(bool all, Graph* graph, ConfigErrors* errors) {
  for (GraphLayer& layer : graph->layers) {
    const bool must = MustFold(layer);
    layer.folded = (all || must) && CanFold(*graph, layer);
    try {
      if (must) CheckFolds(*graph, layer);
    } catch (const ConfigError& error) {
      AddFault(error, &layer, errors);
    }
  }
}

}  // namespace singa
