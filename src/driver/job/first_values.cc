#include "driver/job/first_values.h"

#include "train/init_params.h"

namespace singa {

void SetFirstValues(const JobProto& job, Trainer* trainer, Progress* progress) {
  const std::vector<std::string> files(job.checkpoint_path().begin(), job.checkpoint_path().end());
  const InitReport report = InitParams(trainer->ctx(), files, &trainer->params());
  if (!files.empty() && !report.initialised.empty())
    progress->Say("params that no file gives, initialised: " + JoinNames(report.initialised));
  if (!report.unused.empty())
    progress->Say("params of the files that the net lacks: " + JoinNames(report.unused));
}

}  // namespace singa
