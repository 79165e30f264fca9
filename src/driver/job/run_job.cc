#include "driver/job/run_job.h"

#include <exception>

#include "driver/job/divided_job.h"
#include "driver/job/end_process.h"
#include "driver/job/end_watch.h"
#include "driver/job/train_job.h"

namespace singa {

namespace {

// Trains, with an EndWatch if the job is one process with GPUs: a lost or waiting GPU may keep its
// worker from returning. In a job of several processes each has its own watch.
ExitCode TrainWatched(const JobProto& job, const RunOptions& options, Progress* progress) {
  if (job.gpu_size() == 0 || options.process) return TrainUnwatched(job, options, progress);
  EndWatch watch(kLongestEnd, [&options](const std::exception_ptr& why) {
    EndLate(options, why, 0, "the job");
  });
  RunOptions watched = options;
  watched.failed = [&watch](const std::exception_ptr& why) { watch.Begin(why); };
  return TrainUnwatched(job, watched, progress);
}

}  // namespace

ExitCode TrainJob(const JobProto& job, const RunOptions& options, Progress* progress) {
  return RunDivided(job, options, progress, [&](const JobProto& divided, const RunOptions& with) {
    return TrainWatched(divided, with, progress);
  });
}

}  // namespace singa
