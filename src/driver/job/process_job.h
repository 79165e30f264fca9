// A job of several processes, as one of them or as what starts them.
#pragma once

#include <string>
#include <vector>

#include "driver/job/run_job.h"

namespace singa {

// Trains. Where nobody started this process as one of the job's, starts them all on this host, with
// `args`, the program's arguments, and watches them. Throws as TrainJob, PeerError.
ExitCode TrainInProcesses(const JobProto& job, const std::vector<std::string>& args,
                          const RunOptions& options, Progress* progress);

// Tests. Where a launcher started the job's processes, rank 0 alone tests; the others wait for it
// and return its code. Throws as TestJob, PeerError.
ExitCode TestInProcesses(const JobProto& job, const RunOptions& options, Progress* progress);

// Whether another process shows people what it finds in the job's configuration.
bool AnotherProcessSpeaks();
// The rank that whoever started this process gave it; 0: none.
int RankHere();

}  // namespace singa
