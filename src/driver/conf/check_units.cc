#include "driver/conf/check_units.h"

#include <algorithm>
#include <map>
#include <string>

#include "nn/graph/bridge_layout.h"
#include "singa/base/error.h"

namespace singa {
namespace {

bool AsksForUnits(const NetProto& conf) {
  return conf.partition_dim() == 1 ||
         std::ranges::any_of(conf.layer(), [](const LayerProto& layer) {
           return layer.partition_dim() == 1 || layer.has_partition_grid();
         });
}

// Returns the field by which a layer asks for a division that is not by rows; "": none.
std::string FieldOf(const LayerProto& layer, int workers) {
  if (layer.partition_dim() == 1) return "partition_dim";
  return layer.has_partition_grid() && LayoutOf(layer) != LayoutByRows(workers) ? "partition_grid"
                                                                                : "";
}

}  // namespace

bool WorkersHaveOwnSizes(const NetProto& conf) {
  return std::ranges::any_of(conf.layer(), [](const LayerProto& layer) {
    return layer.store_conf().batchsize_size() > 1;
  });
}

std::string WhyNoChoice(const JobProto& job) {
  if (job.cluster().nworkers_per_group() == 1) return "the worker group has one worker";
  if (job.cluster().nworker_groups() > 1) return "the job has several worker groups";
  if (job.gpu_size() > 0) return "the workers are on GPUs, and kAuto measures layers on CPUs alone";
  return "";
}

namespace {

// Warns of settings that partition: kAuto overrides, and of a kAuto that chooses nothing.
ConfFindings CheckAuto(const JobProto& job) {
  ConfFindings found;
  const NetProto& conf = job.neuralnet();
  const std::string why = WhyNoChoice(job);
  if (!why.empty())
    found.warnings.push_back(ConfigError("neuralnet.partition", "has no effect: " + why));
  const auto warn = [&](const std::string& path) {
    found.warnings.push_back(
        ConfigError(path, "has no effect: partition: kAuto chooses the dimension"));
  };
  if (conf.has_partition_dim()) warn("neuralnet.partition_dim");
  const std::vector<std::string> paths = LayerPaths(conf.layer());
  for (int i = 0; i < conf.layer_size(); ++i) {
    const std::string path = StrCat("neuralnet.", paths[i], ".");
    if (conf.layer(i).partition_dim() >= 0) warn(path + "partition_dim");
    if (conf.layer(i).has_partition_grid()) warn(path + "partition_grid");
  }
  return found;
}

}  // namespace

ConfFindings CheckUnits(const JobProto& job, const NetOptions& rows) {
  const NetProto& conf = job.neuralnet();
  const bool chooses = conf.partition() == NetProto::kAuto;
  ConfFindings found;
  if (chooses) found = CheckAuto(job);
  const bool asks = AsksForUnits(conf) && !chooses;
  if (rows.parts == 1 || !(asks || WorkersHaveOwnSizes(conf))) return found;
  NetOptions options = rows;
  options.units = !chooses;
  ParamTable params;
  ConfigErrors errors;
  const Net net = BuildNet(conf, options, &params, &errors);
  for (++options.worker; WorkersHaveOwnSizes(conf) && options.worker < rows.parts && errors.empty();
       ++options.worker) {
    ParamTable others;
    BuildNet(conf, options, &others, &errors);
  }
  for (const ConfigError& error : errors) found.errors.push_back(error.Under("neuralnet"));
  if (chooses) return found;
  std::map<std::string, Layout>
      layouts;  // by the layer's path and name: inserted layers have other names
  for (const NetNode& node : net.nodes()) layouts[node.path + node.name] = LayoutOf(node.conf);
  const std::vector<std::string> paths = LayerPaths(conf.layer());
  for (int i = 0; i < conf.layer_size(); ++i) {
    const std::string field = FieldOf(conf.layer(i), rows.parts);
    const auto layout = layouts.find(paths[i] + conf.layer(i).name());
    const bool by_rows = layout != layouts.end() && layout->second == LayoutByRows(rows.parts);
    if (field.empty() || !by_rows) continue;
    const std::string path = StrCat("neuralnet.", paths[i], ".", field);
    if (field == "partition_grid")
      found.errors.push_back(ConfigError(
          path, "must not be set: the workers cannot divide the units of this layer, only rows"));
    else
      found.warnings.push_back(ConfigError(
          path, "has no effect: the layer is divided by rows; the results are the same"));
  }
  return found;
}

}  // namespace singa
