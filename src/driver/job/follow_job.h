// A process of a job that is not the first: its workers and servers do what rank 0 says.
#pragma once

#include "cluster/process/job_process.h"
#include "driver/job/run_job.h"

namespace singa {

// Until rank 0 says that the job has ended. Writes nothing to the workspace. Throws Error.
ExitCode FollowJob(const RunOptions& options, JobProcess* process);

}  // namespace singa
