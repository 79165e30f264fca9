// BenchWorkers trains some steps with all workers of a job, as `singa -conf` would start them, and
// measures them in the process of rank 0. It writes no file.
#pragma once

#include <optional>
#include <string>

#include "driver/bench/bench_limits.h"
#include "driver/bench/workers_report.h"
#include "driver/job/run_job.h"
#include "driver/workspace/progress.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns `job`, a result of BenchJob, for a run of all its workers that BenchWorkers
// ends. It has no checkpoints and restarts, and its rows are for ProcessShares.
JobProto WorkersJob(const JobProto& job, const BenchLimits& limits);

// Returns why BenchWorkers cannot measure the job; "": it can.
std::string WhyNotWorkers(const JobProto& job);

// Measures the job, or leads it if it has several processes. `job`: a result of WorkersJob. Returns
// nullopt if a signal has ended it early. Throws as TrainJob does.
std::optional<WorkersReport> BenchWorkers(const JobProto& job, const BenchLimits& limits,
                                          const RunOptions& options, Progress* progress);

}  // namespace singa
