// A net of T time steps becomes one that computes a step a batch: each layer has one step, and
// carries what it needs of those before.
#include <vector>

#include "nn/graph/carry_steps.h"
#include "nn/graph/graph.h"

namespace singa {
namespace {

// Returns the time steps that the input layer gives; 0: it gives whole records.
int64_t StepsGiven(const Graph& graph) {
  for (const GraphLayer& layer : graph.layers)
    if (layer.in.empty() && layer.wiring.outputs_are_steps)
      return layer.wiring.num_outputs - layer.wiring.steps_ahead;
  return 0;
}

void CheckReads(const Graph& graph, const Link& link) {
  const std::string& source = graph.layers[link.source].conf.name();
  if (link.kind != Link::kSameStep)
    throw ConfigError("unroll_conn_type",
                      StrCat("time steps are computed one by one, and the layer reads all steps, "
                             "or the last one, of layer \"",
                             source, "\""));
  if (link.shift > 0)
    throw ConfigError("shift", StrCat("time steps are computed one by one, and the layer reads "
                                      "earlier ones of layer \"",
                                      source, "\""));
}

void TakeStep(int64_t steps, const Graph& graph, GraphLayer* layer) {
  std::erase_if(layer->in, [](const Link& link) { return link.kind == Link::kPrevious; });
  for (const Link& link : layer->in) CheckReads(graph, link);
  const Wiring& wiring = layer->wiring;
  const bool recurrent = wiring.recurrent && layer->conf.has_user_type();
  if ((recurrent || (wiring.sequence && !wiring.recurrent)) && !wiring.carries_steps)
    throw ConfigError(layer->conf.has_user_type() ? "user_type" : "type",
                      "the layer cannot keep the time steps before from batch to batch");
  if (wiring.recurrent && layer->in.size() > 1)
    throw ConfigError("srclayers",
                      "the layer gets its first state from another layer: its time "
                      "steps cannot be computed one by one");
  layer->steps = 1;
  layer->conf.set_unroll_len(1);
  if (layer->wiring.outputs_are_steps) {
    layer->wiring.num_outputs = 1;
    layer->wiring.steps_ahead = 0;
  }
  CarryState(true, layer);
  CarrySteps(steps, layer);
}

}  // namespace

void StepByStep(Graph* graph, ConfigErrors* errors) {
  if (!errors->empty()) return;
  const int64_t steps = StepsGiven(*graph);
  if (steps == 0) {
    errors->push_back(ConfigError("",
                                  "the input layer gives whole records: their time steps "
                                  "cannot be computed one by one",
                                  kExitUsage));
    return;
  }
  for (GraphLayer& layer : graph->layers) {
    try {
      TakeStep(steps, *graph, &layer);
    } catch (const ConfigError& error) {
      errors->push_back(error.Under(layer.path));
    }
  }
}

}  // namespace singa
