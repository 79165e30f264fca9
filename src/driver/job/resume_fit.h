// Whether a checkpoint is of the job that is to go on with it. One that is intact and does not fit
// is a mistake in job.conf, or the wrong workspace, not damage.
#pragma once

#include <string>

#include "io/checkpoint/checkpoint.h"
#include "singa/proto/job.pb.h"
#include "train/trainer/trainer.h"

namespace singa {

// "kSGD", or a user's type.
std::string UpdaterName(const JobProto& job);

// Throws ConfigError, relative to the JobProto, that names everything in which the params or the
// updater contradict the checkpoint.
void CheckFits(const Checkpoint& checkpoint, const JobProto& job, Trainer* lead);

// Throws for anything else that the checkpoint lacks, such as a layer's state. REQUIRES: the
// checkpoint is intact.
[[noreturn]] void ThrowMisfit(const Checkpoint& checkpoint, const MisfitError& error);

}  // namespace singa
