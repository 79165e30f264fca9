#include "base/text/element_path.h"
#include "nn/graph/graph.h"

namespace singa {
namespace {

// Throws ConfigError unless the layer and its hidden layer form one RBM.
void CheckVisible(const Graph& graph, int index) {
  const GraphLayer& vis = graph.layers[index];
  if (vis.in.size() != 2)
    throw ConfigError(ElementPath("srclayers", vis.in.size() > 2 ? 2 : 0),
                      StrCat("must be 2, its input and its kRBMHid, are ", vis.in.size()));
  const GraphLayer& hid = graph.layers[vis.in[1].source];
  if (!IsOfType(hid, kRBMHid))
    throw ConfigError(
        ElementPath("srclayers", 1),
        StrCat("the second must be a kRBMHid, \"", hid.conf.name(), "\" is of another type"));
  if (!hid.faulty && (hid.in.empty() || hid.in[0].source != index))
    throw ConfigError(
        ElementPath("srclayers", 1),
        StrCat("layer \"", hid.conf.name(), "\" must read this layer: the two are one machine"));
  if (vis.conf.rbm_conf().hdim() != hid.conf.rbm_conf().hdim())
    throw ConfigError("rbm_conf.hdim",
                      StrCat("must be that of layer \"", hid.conf.name(), "\", ",
                             hid.conf.rbm_conf().hdim(), ", is ", vis.conf.rbm_conf().hdim()));
}

void CheckHidden(const Graph& graph, const GraphLayer& hid) {
  const bool reads = !hid.in.empty() && IsOfType(graph.layers[hid.in[0].source], kRBMVis);
  if (reads && hid.in.size() == 1) return;
  throw ConfigError(ElementPath("srclayers", reads ? 1 : 0),
                    "must be one layer, a kRBMVis that reads this layer");
}

}  // namespace

void PairRbms(Graph* graph, ConfigErrors* errors) {
  for (size_t i = 0; i < graph->layers.size(); ++i) {
    GraphLayer& layer = graph->layers[i];
    if (layer.faulty) continue;
    try {
      if (IsOfType(layer, kRBMHid)) CheckHidden(*graph, layer);
      if (!IsOfType(layer, kRBMVis)) continue;
      CheckVisible(*graph, static_cast<int>(i));
      const LayerProto& hid = graph->layers[layer.in[1].source].conf;
      layer.conf.mutable_rbm_conf()->set_gaussian(hid.rbm_conf().gaussian());
    } catch (const ConfigError& error) {
      AddFault(error, &layer, errors);
    }
  }
}

}  // namespace singa
