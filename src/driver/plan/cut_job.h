// These functions set how the workers divide the layers of a job's train net.
#pragma once

#include <map>
#include <set>
#include <string>

#include "driver/plan/plan_cluster.h"
#include "nn/cost/cost_net.h"
#include "singa/proto/job.pb.h"

namespace singa {

// By the layer's name; a layer that is not named is divided by rows.
using CutsByName = std::map<std::string, Cut>;

// Sets partition_dim of all layers.
void SetCuts(const CutsByName& cuts, NetProto* net);
// Returns the layers of the train net that the conf divides by units.
CutsByName CutsOfConf(const NetProto& net);
// Returns the layers of the train net that the workers can divide by units. A layer that shares
// params with another one is not among them, and none is if workers have batch sizes of their own.
// Throws ConfigError relative to the JobProto if the workers cannot train the net even by rows.
std::set<std::string> LayersWithUnits(const JobProto& job, const PlanCluster& cluster);

}  // namespace singa
