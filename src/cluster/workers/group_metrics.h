// These functions add up numbers of one worker group over its workers and processes.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/process/job_process.h"
#include "cluster/protocol/process_share.h"
#include "cluster/workers/worker_team.h"

namespace singa {

// Sets *sums to the metrics of `group` over all its processes, and returns the shares of all, in
// order. Each process of the group calls this with its own team and share. `process`: null in a job
// of one process.
std::vector<ProcessShare> AddMetricsUp(JobProcess* process, int group, WorkerTeam* team,
                                       MetricSums* sums, ProcessShare own);
// Returns the number of bad records of training stores that workers of `team` have skipped.
int64_t CountBadRecords(WorkerTeam* team);

}  // namespace singa
