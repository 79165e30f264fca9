// Announcement makes the first line that a training shows.
#pragma once

#include <string>

#include "cluster/workers/worker_groups.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns "2 groups of 3 workers", of all processes.
std::string WorkersText(const ClusterProto& cluster);
// Returns the job's net, memory and groups in one line. `threads` is the number for each worker.
std::string Announcement(const JobProto& job, WorkerGroups* groups, int threads,
                         const std::string& workspace);

}  // namespace singa
