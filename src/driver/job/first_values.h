// The values that a training begins with where it resumes nothing.
#pragma once

#include "driver/job/progress.h"
#include "singa/proto/job.pb.h"
#include "train/trainer.h"

namespace singa {

// From checkpoint_path, or by the params' init. Says which params no file gives, and which names
// the net lacks. Throws as InitParams.
void SetFirstValues(const JobProto& job, Trainer* trainer, Progress* progress);

}  // namespace singa
