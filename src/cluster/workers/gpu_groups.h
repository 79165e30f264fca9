// How a process makes its worker groups where GPUs may add the gradients up themselves: all workers
// of the job's one group do so, in whichever processes they are, or none does.
#pragma once

#include <memory>

#include "cluster/workers/worker_groups.h"

namespace singa {

// Of a job's one process (`process` is null), or of rank 0, which asks the others where GPUs may
// add up. Throws ConfigError, relative to the JobProto, where two workers share a GPU and
// cluster.all_reduce is set; and as WorkerGroups.
std::unique_ptr<WorkerGroups> MakeWorkerGroups(const JobProto& job, int threads,
                                               JobProcess* process);
// The groups of another rank, which rank 0 asks by `order`. Null: not all processes can, and rank 0
// goes on as if it had not asked. Throws PeerError where an order of rank 0 cannot be.
std::unique_ptr<WorkerGroups> JoinOnGpus(const JobProto& job, int threads, JobProcess* process,
                                         const ControlMessage::GpuGroup& order);

}  // namespace singa
