// What TrainJob (run_job.h) does, with no watch over how long it takes to end.
#pragma once

#include "driver/job/run_job.h"

namespace singa {

ExitCode TrainUnwatched(const JobProto& job, const RunOptions& options, Progress* progress);

}  // namespace singa
