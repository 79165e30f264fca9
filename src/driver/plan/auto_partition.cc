#include "driver/plan/auto_partition.h"

#include <vector>

#include "base/text/formatted.h"
#include "driver/plan/job_plans.h"
#include "driver/plan/kept_predictions.h"
#include "driver/plan/measure_plans.h"
#include "driver/plan/model_errors.h"
#include "driver/plan/this_machine.h"
#include "driver/timing/bench_job.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// A plan must be faster than data parallelism by this share in a trial, as trials vary.
constexpr double kLeastGain = 0.02;

AutoPartition ChoiceOf(const JobPlans& plans, const JobPlan& plan) {
  AutoPartition choice;
  choice.division = plan.division;
  choice.workers = plans.cluster.workers;
  choice.predicted_ms = plan.cost.step_ms;
  choice.predicted_data_ms = plans.Find("data")->cost.step_ms;
  choice.predicted_bytes = plan.memory;
  return choice;
}

// Returns the fastest plan that the search has found, however small its gain is.
const JobPlan& FastestOf(const JobPlans& plans) {
  const JobPlan* const other = plans.Find("runner_up");
  const bool kept = plans.found().division.empty() && other != nullptr;
  return kept && other->cost.step_ms < plans.found().cost.step_ms ? *other : plans.found();
}

}  // namespace

AutoPartition ChoosePartition(const JobProto& job, const PlanCluster& cluster, int64_t most_bytes,
                              bool measure, PartTimer* timer) {
  std::string ignored;
  JobProto bench = BenchJob(job, true, &ignored);
  SetDivision({}, bench.mutable_neuralnet());  // the conf's own has no effect
  const JobPlans plans = PlanJob(bench, cluster, RatesOfThisMachine(cluster), most_bytes, timer);
  KeepPredictions(job, plans);
  const JobPlan& fastest = FastestOf(plans);
  const JobPlan& data = *plans.Find("data");
  const bool tries = measure && fastest.cost.step_ms < data.cost.step_ms &&
                     fastest.memory <= most_bytes && data.memory <= most_bytes;
  if (!tries) {
    AutoPartition choice = ChoiceOf(plans, plans.found());
    choice.why = plans.note;
    return choice;
  }
  std::vector<JobPlan> trials = {fastest, data};
  MeasurePlans(bench, cluster, most_bytes, &trials);
  KeepModelErrors(trials);
  return DecideByTrial(plans, trials[0], trials[1]);
}

AutoPartition DecideByTrial(const JobPlans& plans, const JobPlan& fastest, const JobPlan& data) {
  const bool won = fastest.measured_ms < (1 - kLeastGain) * data.measured_ms;
  AutoPartition choice = ChoiceOf(plans, won ? fastest : data);
  choice.measured_ms = won ? fastest.measured_ms : data.measured_ms;
  choice.measured_data_ms = data.measured_ms;
  if (won) return choice;
  choice.tried = fastest.division;
  choice.tried_ms = fastest.measured_ms;
  choice.tried_predicted_ms = fastest.cost.step_ms;
  choice.why = StrCat("the plan found took ", MsText(fastest.measured_ms), " a step in a trial, ",
                      MsText(fastest.cost.step_ms), " were predicted");
  return choice;
}

std::string Describe(const AutoPartition& partition) {
  const std::string names = TextOf(partition.division, partition.workers);
  std::string text = names.empty() ? "all layers by rows" : names;
  if (partition.predicted_ms > 0) {
    text += StrCat("; predicted ", MsText(partition.predicted_ms), " a step");
    if (!names.empty()) text += StrCat(", by rows alone ", MsText(partition.predicted_data_ms));
  }
  if (partition.measured_ms > 0) text += StrCat("; measured ", MsText(partition.measured_ms));
  if (partition.measured_ms > 0 && !names.empty())
    text += StrCat(", by rows alone ", MsText(partition.measured_data_ms));
  return partition.why.empty() ? text : StrCat(text, "; ", partition.why);
}

}  // namespace singa
