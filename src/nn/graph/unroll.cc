#include "base/text/element_path.h"
#include "nn/graph/graph.h"

namespace singa {
namespace {

constexpr int kMaxSteps = 100000;

void SetLink(const LayerProto& conf, int slot, Link* link) {
  if (slot < conf.unroll_conn_type_size()) {
    switch (conf.unroll_conn_type(slot)) {
      case kUnrollOneToOne:
        break;
      case kUnrollOneToAll:
        link->kind = Link::kAllSteps;
        break;
      case kUnrollFirstToLast:
        link->kind = Link::kLastToFirst;
        break;
      case kUnrollCustomized:
        throw ConfigError(ElementPath("unroll_conn_type", slot),
                          "kUnrollCustomized is not built yet; allowed: kUnrollOneToOne, "
                          "kUnrollOneToAll, kUnrollFirstToLast");
    }
  }
  if (slot < conf.shift_size()) {
    if (conf.shift(slot) < 0)
      throw ConfigError(ElementPath("shift", slot), StrCat("must be >= 0, is ", conf.shift(slot)));
    link->shift = conf.shift(slot);
  }
}

void UnrollLayer(const NetProto& net, int index, GraphLayer* layer) {
  LayerProto& conf = layer->conf;
  if (!conf.has_unroll_len())
    conf.set_unroll_len(layer->wiring.outputs_are_steps ? 1 : net.unroll_len());
  if (conf.unroll_len() < 1 || conf.unroll_len() > kMaxSteps)
    throw ConfigError("unroll_len",
                      StrCat("must be from 1 to ", kMaxSteps, ", is ", conf.unroll_len()));
  if (layer->wiring.outputs_are_steps && conf.unroll_len() != 1)
    throw ConfigError("unroll_len",
                      StrCat("must be 1 or unset: one pass of the layer gives all time steps; is ",
                             conf.unroll_len()));
  layer->steps = conf.unroll_len();
  const int sources = static_cast<int>(layer->in.size());
  if (conf.unroll_conn_type_size() > sources)
    throw ConfigError(
        ElementPath("unroll_conn_type", sources),
        StrCat("one for each of the ", sources, " srclayers, has ", conf.unroll_conn_type_size()));
  if (conf.shift_size() > sources)
    throw ConfigError(ElementPath("shift", sources), StrCat("one for each of the ", sources,
                                                            " srclayers, has ", conf.shift_size()));
  for (int slot = 0; slot < sources; ++slot) SetLink(conf, slot, &layer->in[slot]);
  if (layer->wiring.recurrent && layer->steps > 1) {
    Link self;
    self.source = index;
    self.kind = Link::kPrevious;
    layer->in.push_back(self);
    for (int k = 0; k < layer->wiring.state_outputs; ++k) {
      self.output = layer->wiring.num_outputs + k;
      layer->in.push_back(self);
    }
  }
}

// Makes step t of the layer read output t of a source whose outputs are time steps. Confs of SINGA
// 0.3 call this link one-to-all, as the source is one layer for all steps.
void LinkToSteps(const GraphLayer& source, int slot, GraphLayer* layer) {
  Link& link = layer->in[slot];
  const std::string& name = source.conf.name();
  const std::string& said = layer->conf.srclayers(slot);
  if (source.wiring.outputs_are_steps && said != name)
    throw ConfigError(ElementPath("srclayers", slot),
                      StrCat("must be \"", name, "\", whose outputs are the time steps, ",
                             "without a number; is \"", said, "\""));
  if (!source.wiring.outputs_are_steps) {
    if (layer->wiring.step_shift > 0)
      throw ConfigError(ElementPath("srclayers", slot),
                        StrCat("source \"", name,
                               "\" gives no step behind the last: it must be the "
                               "input layer that reads the text"));
    return;
  }
  if (layer->wiring.step_shift > source.wiring.steps_ahead)
    throw ConfigError(
        ElementPath("srclayers", slot),
        StrCat("source \"", name, "\" must give ", layer->wiring.step_shift,
               " more time step than its readers have (time_steps_conf.ahead), gives ",
               source.wiring.steps_ahead));
  if (link.kind == Link::kLastToFirst)
    throw ConfigError(ElementPath("unroll_conn_type", slot),
                      StrCat("must be kUnrollOneToOne or kUnrollOneToAll for source \"", name,
                             "\", whose outputs are the time steps, is kUnrollFirstToLast"));
  if (link.shift != 0)
    throw ConfigError(ElementPath("shift", slot),
                      StrCat("must be 0 for source \"", name,
                             "\", whose outputs are the time steps, is ", link.shift));
  link.kind = Link::kSameStep;
}

// Throws unless the reader has as many steps as the source gives. `*wrong` becomes the layer to
// blame: the one that differs from the net's unroll_len, or else the source.
void CheckSteps(const NetProto& net, GraphLayer* source, GraphLayer* reader, GraphLayer** wrong) {
  const int steps = source->wiring.num_outputs - source->wiring.steps_ahead;
  if (!source->wiring.outputs_are_steps || steps == reader->steps) return;
  if (steps == net.unroll_len())
    throw ConfigError("unroll_len", StrCat("must be ", steps, ", the time steps of source \"",
                                           source->conf.name(), "\", is ", reader->steps));
  *wrong = source;
  throw ConfigError(source->wiring.steps_field,
                    StrCat("must be ", reader->steps, ", the unroll_len of layer \"",
                           reader->conf.name(), "\", which reads it; is ", steps));
}

// Throws unless each layer that is read back has one time step.
void CheckDelayed(const Graph& graph, const GraphLayer& layer) {
  for (const Link& link : layer.in)
    if (link.delayed && graph.layers[link.source].steps > 1)
      throw ConfigError(
          "rnn_dummy_conf.dynamic_srclayer",
          StrCat("layer \"", graph.layers[link.source].conf.name(),
                 "\" must have one time step, has ", graph.layers[link.source].steps));
}

void LinkReader(const NetProto& net, GraphLayer* layer, Graph* graph, ConfigErrors* errors) {
  GraphLayer* wrong = layer;
  try {
    for (int slot = 0; slot < layer->conf.srclayers_size() && !layer->faulty; ++slot) {
      GraphLayer& source = graph->layers[layer->in[slot].source];
      if (source.faulty) continue;
      LinkToSteps(source, slot, layer);
      CheckSteps(net, &source, layer, &wrong);
    }
    CheckDelayed(*graph, *layer);
  } catch (const ConfigError& error) {
    AddFault(error, wrong, errors);
  }
}

// Sets unroll_len to 1 for all layers below `reader`, which makes time steps of whole records.
// Throws if the conf says otherwise.
void KeepWhole(Graph* graph, int reader, const std::string& name) {
  for (const Link& link : graph->layers[reader].in) {
    GraphLayer& source = graph->layers[link.source];
    if (source.conf.has_unroll_len() && source.conf.unroll_len() != 1)
      throw ConfigError("unroll_len", StrCat("must be 1: layer \"", name,
                                             "\" makes time steps of whole records; is ",
                                             source.conf.unroll_len()))
          .Under(source.path);
    if (source.conf.has_unroll_len()) continue;
    source.conf.set_unroll_len(1);
    KeepWhole(graph, link.source, name);
  }
}

void KeepRecordsWhole(Graph* graph, ConfigErrors* errors) {
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    GraphLayer& layer = graph->layers[i];
    if (layer.faulty || !layer.wiring.outputs_are_steps) continue;
    try {
      KeepWhole(graph, static_cast<int>(i), layer.conf.name());
    } catch (const ConfigError& error) {
      errors->push_back(error);
      layer.faulty = true;
    }
  }
}

}  // namespace

void Unroll(const NetProto& net, Graph* graph, ConfigErrors* errors) {
  KeepRecordsWhole(graph, errors);
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    GraphLayer& layer = graph->layers[i];
    if (layer.faulty) continue;
    try {
      UnrollLayer(net, static_cast<int>(i), &layer);
    } catch (const ConfigError& error) {
      AddFault(error, &layer, errors);
    }
  }
  for (GraphLayer& layer : graph->layers) LinkReader(net, &layer, graph, errors);
}

}  // namespace singa
