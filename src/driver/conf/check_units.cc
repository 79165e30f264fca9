#include "driver/conf/check_units.h"

#include <algorithm>
#include <map>
#include <string>

#include "cluster/protocol/sync_plan.h"
#include "singa/base/error.h"

namespace singa {
namespace {

bool AsksForUnits(const NetProto& conf) {
  return conf.partition_dim() == 1 ||
         std::ranges::any_of(conf.layer(),
                             [](const LayerProto& layer) { return layer.partition_dim() == 1; });
}

std::string NoEffect(const std::string& why) {
  return StrCat("has no effect: ", why, ", which computes the same");
}

}  // namespace

bool WorkersHaveOwnSizes(const NetProto& conf) {
  return std::ranges::any_of(conf.layer(), [](const LayerProto& layer) {
    return layer.store_conf().batchsize_size() > 1;
  });
}

std::string WhyRows(const JobProto& job) {
  try {
    return PlanSync(job).why_rows;
  } catch (const ConfigError&) {  // the stanza's mistake is reported elsewhere
    return "";
  }
}

namespace {

// Warns of settings that partition: kAuto overrides, and of a kAuto that chooses nothing.
UnitFindings CheckAuto(const JobProto& job, int workers) {
  UnitFindings found;
  const NetProto& conf = job.neuralnet();
  const std::string why = workers == 1                         ? "the worker group has one worker"
                          : job.cluster().nworker_groups() > 1 ? "the job has several worker groups"
                                                               : WhyRows(job);
  if (!why.empty())
    found.warnings.push_back(ConfigError("neuralnet.partition", "has no effect: " + why));
  const auto warn = [&](const std::string& path) {
    found.warnings.push_back(ConfigError(path + "partition_dim",
                                         "has no effect: partition: kAuto chooses the dimension"));
  };
  if (conf.has_partition_dim()) warn("neuralnet.");
  std::vector<std::string> names;
  for (const LayerProto& layer : conf.layer()) names.push_back(layer.name());
  const std::vector<std::string> paths = LayerPaths(names);
  for (int i = 0; i < conf.layer_size(); ++i)
    if (conf.layer(i).partition_dim() >= 0) warn(StrCat("neuralnet.", paths[i], "."));
  return found;
}

}  // namespace

UnitFindings CheckUnits(const JobProto& job, const NetOptions& rows) {
  const NetProto& conf = job.neuralnet();
  const bool chooses = conf.partition() == NetProto::kAuto;
  UnitFindings found;
  if (chooses) found = CheckAuto(job, rows.parts);
  const bool asks = AsksForUnits(conf) && !chooses;
  if (rows.parts == 1 || !(asks || WorkersHaveOwnSizes(conf))) return found;
  const std::string why = WhyRows(job);
  NetOptions options = rows;
  options.units = why.empty() && !chooses;
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
  if (!why.empty() && conf.partition_dim() == 1)
    found.warnings.push_back(ConfigError("neuralnet.partition_dim", NoEffect(why)));
  std::map<std::string, int>
      dims;  // by the layer's path and name: inserted layers have other names
  for (const NetNode& node : net.nodes()) dims[node.path + node.name] = node.conf.partition_dim();
  std::vector<std::string> names;
  for (const LayerProto& layer : conf.layer()) names.push_back(layer.name());
  const std::vector<std::string> paths = LayerPaths(names);
  for (int i = 0; i < conf.layer_size(); ++i) {
    const auto dim = dims.find(paths[i] + names[i]);
    if (conf.layer(i).partition_dim() != 1 || dim == dims.end() || dim->second == 1) continue;
    const std::string reason = why.empty() ? "the layer is divided by rows" : why;
    found.warnings.push_back(
        ConfigError(StrCat("neuralnet.", paths[i], ".partition_dim"), NoEffect(reason)));
  }
  return found;
}

}  // namespace singa
