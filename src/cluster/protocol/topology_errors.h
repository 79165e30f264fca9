// Finds the mistakes in the numbers of a job's `cluster`.
#pragma once

#include <vector>

#include "singa/base/error.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// Returns all that is wrong with the numbers of `conf`, relative to it. A number that is out of
// range is not compared with others.
std::vector<ConfigError> TopologyErrors(const ClusterProto& conf);

}  // namespace singa
