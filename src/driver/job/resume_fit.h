// These functions check that a checkpoint belongs to the job that resumes from it. If an intact
// checkpoint does not fit, the job.conf or the workspace is wrong.
#pragma once

#include <string>

#include "cluster/protocol/sync_plan.h"
#include "io/checkpoint/checkpoint.h"
#include "singa/proto/job.pb.h"
#include "train/trainer/trainer.h"

namespace singa {

// Returns "kSGD", or a user's type.
std::string UpdaterName(const JobProto& job);

// Throws ConfigError, relative to the JobProto, that names the differences of the params, 8 at
// most, or the updater's first, from the checkpoint.
void CheckFits(const Checkpoint& checkpoint, const JobProto& job, Trainer* lead);

// Returns a warning if the updater's momentum is made of those of processes; "": it is not.
// REQUIRES: CheckFits has passed.
std::string HandedStates(const Checkpoint& checkpoint, Trainer* lead);

// Returns a warning of states of the updater that the checkpoint has and the job does not keep; "":
// there are none. REQUIRES: CheckFits has passed.
std::string UnusedStates(const Checkpoint& checkpoint, const JobProto& job, Trainer* lead);

// Returns a warning of state that the checkpoint has for a compression of gradients and the job
// does not keep; "": there is none. `mode`: of the job. REQUIRES: CheckFits has passed.
std::string UnusedExchangeState(const Checkpoint& checkpoint, const JobProto& job, SyncMode mode,
                                Trainer* lead);

// Returns whether the checkpoint is of a job with rounds of local steps (group_sync: kOuter), from
// before the end of its last one, and `cluster` has such rounds, too.
bool IsInRound(const Checkpoint& checkpoint, const ClusterProto& cluster);

// Throws for other state that the checkpoint lacks, such as a layer's. REQUIRES: the checkpoint is
// intact.
[[noreturn]] void ThrowMisfit(const Checkpoint& checkpoint, const MisfitError& error);

}  // namespace singa
