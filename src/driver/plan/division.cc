#include "driver/plan/division.h"

#include <algorithm>
#include <vector>

#include "driver/conf/check_units.h"
#include "nn/graph/graph.h"
#include "nn/plan/net_builder.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Grids that plans try at most. Each takes its time to measure.
constexpr size_t kMostGrids = 3;

// Builds the train net of the last worker. Returns how its layers are divided.
Division BuildPart(const NetProto& net, const PlanCluster& cluster, ConfigErrors* errors) {
  NetOptions options;
  options.phase = kTrain;
  options.parts = cluster.workers;
  options.worker = cluster.workers - 1;
  ParamTable params;
  return DivisionOf(BuildNet(net, options, &params, errors));
}

bool SharesParams(const LayerProto& layer, const std::set<std::string>& shared) {
  for (const ParamProto& param : layer.param())
    if (!param.share_from().empty() || shared.count(param.name())) return true;
  constexpr int kMostParams = 16;  // of a layer: these have default names
  for (int i = 0; i < kMostParams; ++i)
    if (shared.count(StrCat(layer.name(), "_", i))) return true;
  return false;
}

std::set<std::string> SharedParams(const NetProto& net) {
  std::set<std::string> names;
  for (const LayerProto& layer : net.layer())
    for (const ParamProto& param : layer.param())
      if (!param.share_from().empty()) names.insert(param.share_from());
  return names;
}

void SetLayout(const Layout& layout, LayerProto* layer) {
  layer->clear_partition_dim();
  layer->mutable_partition_grid()->set_rows(layout.rows);
  layer->mutable_partition_grid()->set_units(layout.units);
}

void SetByRows(LayerProto* layer) {
  layer->clear_partition_grid();
  layer->set_partition_dim(0);
}

// Divides the layers that the errors name by rows. Returns their number.
int DivideByRows(const ConfigErrors& errors, NetProto* net) {
  const std::vector<std::string> paths = LayerPaths(net->layer());
  int changed = 0;
  for (const ConfigError& error : errors)
    for (int i = 0; i < net->layer_size(); ++i) {
      LayerProto& layer = *net->mutable_layer(i);
      const bool is_it = error.path() == paths[i] || error.path().starts_with(paths[i] + ".");
      if (!is_it || !layer.has_partition_grid()) continue;
      SetByRows(&layer);
      ++changed;
    }
  return changed;
}

std::vector<Layout> AllGrids(int workers) {
  std::vector<Layout> grids;
  for (int rows = 2; rows < workers; ++rows)
    if (workers % rows == 0) grids.push_back({rows, workers / rows});
  return grids;
}

}  // namespace

Layout LayoutIn(const Division& division, const std::string& layer, int workers) {
  const auto at = division.find(layer);
  return at == division.end() ? LayoutByRows(workers) : at->second;
}

std::string TextOf(const Division& division, int workers) {
  std::map<std::string, std::string> names;  // of the layers, by their layout
  for (const auto& [name, layout] : division) {
    std::string& of = names[TextOf(layout, workers)];
    of += (of.empty() ? "" : ", ") + Printable(name);
  }
  std::string text;
  for (const auto& [layout, layers] : names)
    text += StrCat(text.empty() ? "" : "; ", layout, ": ", layers);
  return text;
}

void SetDivision(const Division& division, NetProto* net) {
  net->clear_partition_dim();
  for (LayerProto& layer : *net->mutable_layer()) {
    SetByRows(&layer);
    const auto at = division.find(layer.name());
    if (at != division.end() && at->second.rows == 1 && at->second.units > 1)
      layer.set_partition_dim(1);
    else if (at != division.end())
      SetLayout(at->second, &layer);
  }
}

Division DivisionOf(const Net& net) {
  Division division;
  for (const NetNode& node : net.nodes())
    if (const Layout layout = LayoutOf(node.conf);
        !node.bridge && layout != LayoutByRows(node.conf.num_partitions()))
      division[node.name] = layout;
  return division;
}

std::optional<Division> DivisionOf(const NetProto& net, const PlanCluster& cluster) {
  ConfigErrors errors;
  Division division = BuildPart(net, cluster, &errors);
  if (!errors.empty()) return {};
  return division;
}

std::vector<Layout> LayoutsToTry(int workers) {
  if (workers == 1) return {};
  const std::vector<Layout> grids = AllGrids(workers);
  std::vector<Layout> layouts = {LayoutByUnits(workers), kWholeLayout};
  const size_t count = std::min(grids.size(), kMostGrids);
  for (size_t i = 0; i < count; ++i)
    layouts.push_back(grids[count == 1 ? 0 : i * (grids.size() - 1) / (count - 1)]);
  return layouts;
}

std::vector<Layout> LayoutsFor(const NetProto& net, int workers) {
  std::vector<Layout> layouts = LayoutsToTry(workers);
  for (const LayerProto& layer : net.layer()) {
    if (!layer.has_partition_grid()) continue;
    const Layout own = LayoutOf(layer);
    const bool is_grid = own.rows > 1 && own.units > 1 && own.rows <= workers / own.units;
    if (is_grid && own.rows * own.units == workers && std::ranges::count(layouts, own) == 0)
      layouts.push_back(own);
  }
  return layouts;
}

int GridsLeftOut(const NetProto& net, int workers) {
  const std::vector<Layout> tried = LayoutsFor(net, workers);
  return static_cast<int>(std::ranges::count_if(
      AllGrids(workers), [&](const Layout& grid) { return std::ranges::count(tried, grid) == 0; }));
}

std::set<std::string> LayersFor(const Layout& layout, const JobProto& job,
                                const PlanCluster& cluster) {
  NetProto net = job.neuralnet();
  SetDivision({}, &net);
  ConfigErrors errors;
  BuildPart(net, cluster, &errors);
  if (!errors.empty()) throw errors.front().Under("neuralnet");
  if (WorkersHaveOwnSizes(net)) return {};
  const std::set<std::string> shared = SharedParams(net);
  for (LayerProto& layer : *net.mutable_layer())
    if (!SharesParams(layer, shared)) SetLayout(layout, &layer);
  for (;;) {
    errors.clear();
    const Division divided = BuildPart(net, cluster, &errors);
    if (errors.empty()) {
      std::set<std::string> names;
      for (const auto& entry : divided) names.insert(entry.first);
      return names;
    }
    if (DivideByRows(errors, &net) == 0) return {};  // no one layer is the cause
  }
}

Division DivisionOf(const std::set<std::string>& layers, const Layout& layout) {
  Division division;
  for (const std::string& name : layers) division[name] = layout;
  return division;
}

JobProto JobOf(const JobProto& job, const PlanCluster& cluster, const Division& division) {
  JobProto divided = job;
  SetDivision(division, divided.mutable_neuralnet());
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
