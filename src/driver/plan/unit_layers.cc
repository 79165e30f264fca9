#include "driver/plan/unit_layers.h"

#include <algorithm>
#include <vector>

#include "driver/conf/check_units.h"
#include "nn/graph/graph.h"
#include "nn/plan/net_builder.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Builds the train net of the last worker. Returns its layers that are divided by units.
UnitLayers BuildPart(const NetProto& net, const PlanCluster& cluster, ConfigErrors* errors) {
  NetOptions options;
  options.phase = kTrain;
  options.parts = cluster.workers;
  options.worker = cluster.workers - 1;
  ParamTable params;
  const Net built = BuildNet(net, options, &params, errors);
  UnitLayers by_units;
  for (const NetNode& node : built.nodes())
    if (node.conf.partition_dim() == 1) by_units.insert(node.name);
  return by_units;
}

bool SharesParams(const LayerProto& layer, const std::set<std::string>& shared) {
  for (const ParamProto& param : layer.param())
    if (!param.share_from().empty() || shared.count(param.name())) return true;
  return false;
}

std::set<std::string> SharedParams(const NetProto& net) {
  std::set<std::string> names;
  for (const LayerProto& layer : net.layer())
    for (const ParamProto& param : layer.param())
      if (!param.share_from().empty()) names.insert(param.share_from());
  return names;
}

// Returns the number of layers that the errors name, whose partition_dim becomes 0.
int DivideByRows(const ConfigErrors& errors, NetProto* net) {
  std::vector<std::string> names;
  for (const LayerProto& layer : net->layer()) names.push_back(layer.name());
  const std::vector<std::string> paths = LayerPaths(names);
  int changed = 0;
  for (const ConfigError& error : errors)
    for (int i = 0; i < net->layer_size(); ++i) {
      LayerProto& layer = *net->mutable_layer(i);
      const bool is_it = error.path() == paths[i] || error.path().starts_with(paths[i] + ".");
      if (!is_it || layer.partition_dim() != 1) continue;
      layer.set_partition_dim(0);
      ++changed;
    }
  return changed;
}

}  // namespace

void SetUnitLayers(const UnitLayers& by_units, NetProto* net) {
  net->clear_partition_dim();
  for (LayerProto& layer : *net->mutable_layer()) {
    layer.clear_partition_grid();
    layer.set_partition_dim(by_units.count(layer.name()) ? 1 : 0);
  }
}

UnitLayers UnitLayersOf(const NetProto& net) {
  UnitLayers by_units;
  for (const LayerProto& layer : net.layer()) {
    if (!InPhase(layer, kTrain)) continue;
    const bool own = layer.has_partition_dim() && layer.partition_dim() != -1;
    if ((own ? layer.partition_dim() : net.partition_dim()) == 1) by_units.insert(layer.name());
  }
  return by_units;
}

UnitLayers LayersWithUnits(const JobProto& job, const PlanCluster& cluster) {
  NetProto net = job.neuralnet();
  SetUnitLayers({}, &net);
  ConfigErrors errors;
  BuildPart(net, cluster, &errors);
  if (!errors.empty()) throw errors.front().Under("neuralnet");
  if (WorkersHaveOwnSizes(net)) return {};
  const std::set<std::string> shared = SharedParams(net);
  for (LayerProto& layer : *net.mutable_layer())
    layer.set_partition_dim(SharesParams(layer, shared) ? 0 : 1);
  for (;;) {
    errors.clear();
    UnitLayers by_units = BuildPart(net, cluster, &errors);
    if (errors.empty()) return by_units;
    if (DivideByRows(errors, &net) == 0) return {};  // no one layer is the cause
  }
}

JobProto JobOf(const JobProto& job, const PlanCluster& cluster, const UnitLayers& by_units) {
  JobProto divided = job;
  SetUnitLayers(by_units, divided.mutable_neuralnet());
  ClusterProto& stanza = *divided.mutable_cluster();
  const std::string workspace = stanza.workspace();
  stanza.Clear();
  stanza.set_workspace(workspace);
  stanza.set_nworkers_per_group(cluster.workers);
  stanza.set_nworkers_per_procs(cluster.here());
  divided.set_num_openblas_threads(cluster.threads);
  return divided;
}

}  // namespace singa
