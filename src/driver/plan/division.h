// Division says how the workers of a group divide the layers of a job's train net.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/plan/plan_cluster.h"
#include "nn/graph/bridge_layout.h"
#include "singa/proto/job.pb.h"

namespace singa {

class Net;

// By the layer's name; all other layers are divided by rows.
using Division = std::map<std::string, Layout>;

// Returns the layout of a layer that `workers` workers divide so.
Layout LayoutIn(const Division& division, const std::string& layer, int workers);
// Returns the division for people, as in "by units: fc1, fc2; whole: fc3"; "": all by rows.
std::string TextOf(const Division& division, int workers);
// Sets partition_dim or partition_grid of all layers.
void SetDivision(const Division& division, NetProto* net);
// Returns how the layers of a worker's net are divided.
Division DivisionOf(const Net& net);
// Returns how the workers divide the layers of the train net as it stands; none: they cannot.
std::optional<Division> DivisionOf(const NetProto& net, const PlanCluster& cluster);

// Returns the layouts that plans try, besides rows: units, whole layers, and grids of both.
std::vector<Layout> LayoutsToTry(int workers);
// Returns LayoutsToTry and the net's own grids.
std::vector<Layout> LayoutsFor(const NetProto& net, int workers);
// Returns the number of grids that are not among LayoutsFor.
int GridsLeftOut(const NetProto& net, int workers);
// Returns the layers of the train net that the workers can divide in `layout`. A layer that
// shares params with another one is not among them, and none is if workers have batch sizes of
// their own. Throws ConfigError relative to the JobProto if the workers cannot train the net even
// by rows.
std::set<std::string> LayersFor(const Layout& layout, const JobProto& job,
                                const PlanCluster& cluster);
Division DivisionOf(const std::set<std::string>& layers, const Layout& layout);

// Returns `job` divided so, to be trained by all workers of `cluster` in one process.
JobProto JobOf(const JobProto& job, const PlanCluster& cluster, const Division& division);

}  // namespace singa
