// FollowJob runs a process of a job other than rank 0. Its workers and servers do what rank 0
// orders.
#pragma once

#include "cluster/process/job_process.h"
#include "driver/job/run_job.h"

namespace singa {

// Runs until rank 0 says that the job has ended. Writes nothing to the workspace. Throws Error.
ExitCode FollowJob(const RunOptions& options, JobProcess* process);

}  // namespace singa
