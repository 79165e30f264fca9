// These functions run a job of several processes, as one of them or as the supervisor that starts
// them.
#pragma once

#include <string>
#include <vector>

#include "driver/job/run_job.h"

namespace singa {

// Trains. If no launcher or supervisor started this process, starts all processes on this host,
// with the program's arguments `args`, and watches them. Throws PeerError and the errors of
// TrainJob.
ExitCode TrainInProcesses(const JobProto& job, const std::vector<std::string>& args,
                          const RunOptions& options, Progress* progress);

// Tests. If a launcher started the job's processes, only rank 0 tests; the others wait for it and
// return its code. Throws PeerError and the errors of TestJob.
ExitCode TestInProcesses(const JobProto& job, const RunOptions& options, Progress* progress);

// Returns whether another process shows findings about the job's configuration.
bool AnotherProcessSpeaks();
// Returns the rank that a launcher or supervisor gave this process; 0 without one.
int RankHere();

}  // namespace singa
