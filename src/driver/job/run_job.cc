#include "driver/job/run_job.h"

#include <exception>

#include "cluster/process/job_process.h"
#include "driver/job/divided_job.h"
#include "driver/job/end_process.h"
#include "driver/job/train_job.h"
#include "driver/signals/end_watch.h"

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

WorkspaceOptions WorkspaceOptionsOf(const JobProto& job, const RunOptions& options,
                                    Progress* progress) {
  WorkspaceOptions of;
  of.files = options.files;
  of.wait_seconds = job.cluster().start_timeout();
  of.rank = options.process ? options.process->part().rank() : 0;
  of.say = [progress](const std::string& text) { progress->Warn(text); };
  return of;
}

ExitCode TrainJob(const JobProto& job, const RunOptions& options, Progress* progress) {
  return RunDivided(job, options, progress, [&](const JobProto& divided, const RunOptions& with) {
    return TrainWatched(divided, with, progress);
  });
}

}  // namespace singa
