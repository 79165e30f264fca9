#include "driver/plan/cut_job.h"

#include <algorithm>
#include <vector>

#include "nn/graph/graph.h"
#include "nn/plan/net_builder.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Builds the train net of the last worker. Returns its layers that are divided by units.
std::set<std::string> BuildPart(const NetProto& net, const PlanCluster& cluster,
                                ConfigErrors* errors) {
  NetOptions options;
  options.phase = kTrain;
  options.parts = cluster.workers;
  options.worker = cluster.workers - 1;
  ParamTable params;
  const Net built = BuildNet(net, options, &params, errors);
  std::set<std::string> by_units;
  for (const NetNode& node : built.nodes())
    if (node.conf.partition_dim() == 1) by_units.insert(node.name);
  return by_units;
}

bool SharesParams(const LayerProto& layer, const std::set<std::string>& shared) {
  for (const ParamProto& param : layer.param())
    if (!param.share_from().empty() || shared.count(param.name())) return true;
  return false;
}

// Returns whether a layer names the batch size of each worker. Bridges need even parts.
bool WorkersHaveOwnSizes(const NetProto& net) {
  return std::ranges::any_of(
      net.layer(), [](const LayerProto& layer) { return layer.store_conf().batchsize_size() > 1; });
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

void SetCuts(const CutsByName& cuts, NetProto* net) {
  net->clear_partition_dim();
  for (LayerProto& layer : *net->mutable_layer()) {
    const auto at = cuts.find(layer.name());
    layer.set_partition_dim(at != cuts.end() && at->second == Cut::kUnits ? 1 : 0);
  }
}

CutsByName CutsOfConf(const NetProto& net) {
  CutsByName cuts;
  for (const LayerProto& layer : net.layer()) {
    if (!InPhase(layer, kTrain)) continue;
    const bool own = layer.has_partition_dim() && layer.partition_dim() != -1;
    const int dimension = own ? layer.partition_dim() : net.partition_dim();
    if (dimension == 1) cuts[layer.name()] = Cut::kUnits;
  }
  return cuts;
}

std::set<std::string> LayersWithUnits(const JobProto& job, const PlanCluster& cluster) {
  NetProto net = job.neuralnet();
  SetCuts({}, &net);
  ConfigErrors errors;
  BuildPart(net, cluster, &errors);
  if (!errors.empty()) throw errors.front().Under("neuralnet");
  if (WorkersHaveOwnSizes(net)) return {};
  const std::set<std::string> shared = SharedParams(net);
  for (LayerProto& layer : *net.mutable_layer())
    layer.set_partition_dim(SharesParams(layer, shared) ? 0 : 1);
  for (;;) {
    errors.clear();
    std::set<std::string> by_units = BuildPart(net, cluster, &errors);
    if (errors.empty()) return by_units;
    if (DivideByRows(errors, &net) == 0) return {};  // no one layer is the cause
  }
}

}  // namespace singa
