// What TrainJob does, with no limit to how long it takes to end.
#pragma once

#include "driver/job/run_job.h"

namespace singa {

ExitCode RunTraining(const JobProto& job, const RunOptions& options, Progress* progress);

}  // namespace singa
