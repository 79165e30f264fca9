// UnitLayers names the layers of a job's train net that workers divide by units.
#pragma once

#include <set>
#include <string>

#include "driver/plan/plan_cluster.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Workers divide all other layers by rows.
using UnitLayers = std::set<std::string>;

// Sets partition_dim of all layers.
void SetUnitLayers(const UnitLayers& by_units, NetProto* net);
// Returns the layers of the train net that the conf divides by units.
UnitLayers UnitLayersOf(const NetProto& net);
// Returns the layers of the train net that the workers can divide by units. A layer that shares
// params with another one is not among them, and none is if workers have batch sizes of their own.
// Throws ConfigError relative to the JobProto if the workers cannot train the net even by rows.
UnitLayers LayersWithUnits(const JobProto& job, const PlanCluster& cluster);

// Returns `job` with layers divided so, to be trained by all workers of `cluster` in one process.
JobProto JobOf(const JobProto& job, const PlanCluster& cluster, const UnitLayers& by_units);

}  // namespace singa
