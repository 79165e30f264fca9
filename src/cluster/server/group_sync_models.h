// The models of GroupSync by which the server groups of a job exchange slices.
#pragma once

#include <memory>

#include "cluster/server/group_sync.h"

namespace singa {

// Makes the model that conf.group_sync names; null if there is one server group. All of `setup` but
// `conf` must outlive it.
std::unique_ptr<GroupSync> MakeGroupSync(const GroupSync::Setup& setup);

// Returns the floats that the exchanges among several server groups keep for each float of a param,
// in all servers of a server group, on average over the groups.
double SyncCopies(const ClusterProto& conf);

}  // namespace singa
