// All processes of a job must have the same program, job.conf and data: processes that differ would
// add up numbers of different trainings. These functions find what differs.
#pragma once

#include "cluster/workers/worker_groups.h"
#include "singa/proto/wire.pb.h"

namespace singa {

// Returns the facts of this process. REQUIRES: groups with workers have opened their stores.
ControlMessage::Alike AlikeOf(WorkerGroups* groups);
// Throws Error with kExitConfig, which names what differs, if this process is not as rank 0, which
// is `first`. A process without workers has no data to compare.
void CheckAlike(const ControlMessage::Alike& first, const ControlMessage::Alike& own);

}  // namespace singa
