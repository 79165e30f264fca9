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
        throw ConfigError("unroll_conn_type",
                          "kUnrollCustomized is not built yet; allowed: kUnrollOneToOne, "
                          "kUnrollOneToAll, kUnrollFirstToLast");
    }
  }
  if (slot < conf.shift_size()) {
    if (conf.shift(slot) < 0)
      throw ConfigError("shift", StrCat("must be >= 0, is ", conf.shift(slot)));
    link->shift = conf.shift(slot);
  }
}

void UnrollLayer(const NetProto& net, int index, GraphLayer* layer) {
  LayerProto& conf = layer->conf;
  if (!conf.has_unroll_len()) conf.set_unroll_len(net.unroll_len());
  if (conf.unroll_len() < 1 || conf.unroll_len() > kMaxSteps)
    throw ConfigError("unroll_len",
                      StrCat("must be from 1 to ", kMaxSteps, ", is ", conf.unroll_len()));
  layer->steps = conf.unroll_len();
  const int sources = static_cast<int>(layer->in.size());
  if (conf.unroll_conn_type_size() > sources)
    throw ConfigError("unroll_conn_type", StrCat("one for each of the ", sources,
                                                 " srclayers, has ", conf.unroll_conn_type_size()));
  if (conf.shift_size() > sources)
    throw ConfigError(
        "shift", StrCat("one for each of the ", sources, " srclayers, has ", conf.shift_size()));
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

}  // namespace

void Unroll(const NetProto& net, Graph* graph, ConfigErrors* errors) {
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    GraphLayer& layer = graph->layers[i];
    if (layer.faulty) continue;
    try {
      UnrollLayer(net, static_cast<int>(i), &layer);
    } catch (const ConfigError& error) {
      errors->push_back(error.Under(layer.path));
      layer.faulty = true;
    }
  }
}

}  // namespace singa
