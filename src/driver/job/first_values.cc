#include "driver/job/first_values.h"

#include "driver/facts/compare_facts.h"
#include "io/checkpoint/trained_classes.h"
#include "train/init_params.h"

namespace singa {

void SetFirstValues(const JobProto& job, Trainer* trainer, Progress* progress) {
  const std::vector<std::string> files(job.checkpoint_path().begin(), job.checkpoint_path().end());
  const InitReport report = InitParams(trainer->ctx(), files, &trainer->params());
  if (!files.empty() && !report.initialised.empty())
    progress->Say("params that no file gives, initialised: " + JoinNames(report.initialised));
  // A net with a new last layer may have other classes.
  const std::string label =
      report.initialised.empty()
          ? OtherLabel(TrainedClasses(files), trainer->net().ClassNames(), "in checkpoint_path")
          : "";
  if (!label.empty()) progress->Warn(label + ": folders are numbered in the order of their names");
  if (!report.unused.empty())
    progress->Say("params of the files that the net lacks: " + JoinNames(report.unused));
}

}  // namespace singa
