// These functions describe a run in its checkpoints, and compare it with the run of a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "cluster/workers/worker_groups.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Sets the conf and the facts of the run in `content`.
void DescribeRun(const JobProto& job, WorkerGroups* groups, CheckpointContent* content);

// Returns a warning for each difference between this run and that of `checkpoint`.
std::vector<std::string> ChangesSince(const Checkpoint& checkpoint, const JobProto& job,
                                      WorkerGroups* groups);

}  // namespace singa
