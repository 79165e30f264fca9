#include "driver/job/evaluations.h"

#include "driver/job/job_rows.h"
#include "driver/signals/interrupt.h"
#include "driver/workspace/progress.h"
#include "train/trainer/averages_in_use.h"

namespace singa {

// Collects the values from the servers, if the job has any, and from the GPUs if their workers
// divide params.
void Evaluations::CollectValues(int64_t updates) {
  const JobSnapshot::Hold hold(&snapshot_);
  snapshot_.Collect(updates);
  if (averages_ || !groups_.lead().model().trained().of_other_phases.empty())
    for (Trainer* trainer : groups_.teams().all().begin()->second->trainers())
      trainer->path().Download();
}

std::optional<MetricSums> Evaluations::Evaluate(Evaluator* evaluator, Phase phase) {
  Trainer& lead = groups_.lead();
  const AveragesInUse averages(&lead);
  lead.path().Upload();
  return evaluator->Run(phase == kTest ? job_.test_steps() : job_.validate_steps(),
                        [] { return InterruptCode() != kExitOk; });
}

void Evaluations::Run(Phase phase, int64_t updates, MetricsSink* sink) {
  Trainer& lead = groups_.lead();
  Evaluator* evaluator = lead.model().evaluator(phase);
  if (!evaluator) return;
  const bool test = phase == kTest;
  // The validation decides which checkpoint is best; without one, the test.
  const bool judges =
      !job_.checkpoint_best().empty() && updates > 0 && !(test && lead.model().evaluator(kVal));
  std::optional<JobSnapshot::Hold> hold;
  // The values must not change until they are saved as the best, or while averages replace them.
  if (judges || averages_) hold.emplace(&snapshot_);
  CollectValues(updates);
  const std::optional<MetricSums> sums = Evaluate(evaluator, phase);
  if (!sums) return;
  if (evaluator->refused()) side_files_.Refused(*evaluator->refused());
  const RowHead head = {test ? "test" : "validate", updates, 0,
                        CountBadRecords(evaluator->readers())};
  const MetricsRows rows = LayerRows(head, *sums, nullptr);
  {
    const ActivityMark::Scope writes(&lead.model().mark(), Activity::kMetrics);
    sink->Write(rows);
  }
  if (test) last_test_ = MetricsText(rows);
  if (judges) checkpoints_.NoteBest(*sums, updates);
}

}  // namespace singa
