// Gives each process of a job on one host its own cores, if the job's workers use all of them.
//
// The system moves threads between cores when they wake. Two processes that wait for each other
// then often share a core for a while, while another core is idle.
#pragma once

#include <optional>

#include "cluster/protocol/topology.h"
#include "driver/launch/launch_place.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct CoreShare {
  int first = 0, count = 0;  // a range of the cores that the host's processes may run on
};

// Returns the share of the process `rank` among `cores` cores, where each worker has `threads`
// threads. Returns nullopt if the workers do not use each core exactly once, if some processes have
// no workers, or if there is one process.
std::optional<CoreShare> ShareOfCores(const Topology& topology, int rank, int threads, int cores);

// Binds the calling thread, and threads that it makes later, to the share of this process. Does
// nothing if the job has GPUs or may have processes on other hosts, under a cgroup's limit of
// processor time, or if a launcher has given each process its own cores.
void BindToShare(const JobProto& job, const LaunchPlace& place, int threads);

}  // namespace singa
