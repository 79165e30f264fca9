// TrainUnwatched is TrainJob (run_job.h) without an EndWatch.
#pragma once

#include "driver/job/run_job.h"

namespace singa {

ExitCode TrainUnwatched(const JobProto& job, const RunOptions& options, Progress* progress);

}  // namespace singa
