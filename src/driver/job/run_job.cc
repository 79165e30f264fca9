#include "driver/job/run_job.h"

#include <exception>

#include "driver/job/end_process.h"
#include "driver/job/end_watch.h"
#include "driver/job/train_job.h"

namespace singa {

// Several processes have a watch over all of what each does. In one, a GPU that is lost, or waits
// for another, may keep its worker from coming back.
ExitCode TrainJob(const JobProto& job, const RunOptions& options, Progress* progress) {
  if (job.gpu_size() == 0 || options.process) return TrainUnwatched(job, options, progress);
  EndWatch watch(kLongestEnd, [&options](const std::exception_ptr& why) {
    EndLate(options, why, 0, "the job");
  });
  RunOptions watched = options;
  watched.failed = [&watch](const std::exception_ptr& why) { watch.Begin(why); };
  return TrainUnwatched(job, watched, progress);
}

}  // namespace singa
