// Makes a process's worker groups for jobs whose GPUs may add the gradients up themselves. All
// workers of the job's one group do so, in all processes, or none does.
#pragma once

#include <memory>

#include "cluster/workers/worker_groups.h"

namespace singa {

// Makes the groups of a job's one process (`process` is null), or of rank 0, which asks the others
// if GPUs may add up. Throws ConfigError, relative to the JobProto, if two workers share a GPU and
// cluster.all_reduce is set. Throws as WorkerGroups does.
std::unique_ptr<WorkerGroups> MakeWorkerGroups(const JobProto& job, int threads,
                                               JobProcess* process, const GroupCalls& calls = {});
// Makes the groups of another rank, which rank 0 asks by `order`. Returns null if not all processes
// can: rank 0 then goes on as if it had not asked. Throws PeerError if an order of rank 0 is
// invalid.
std::unique_ptr<WorkerGroups> JoinOnGpus(const JobProto& job, int threads, JobProcess* process,
                                         const ControlMessage::GpuGroup& order);

}  // namespace singa
