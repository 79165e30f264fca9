#include "driver/plan/kept_predictions.h"

#include <string>
#include <utility>

#include "base/file/sha256.h"
#include "driver/plan/plan_cache.h"
#include "driver/plan/plan_texts.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Returns the name of the file with all divisions of the job's layers. The times of several hosts
// depend on their servers, their link and the way of the gradients, too.
std::string NameOf(JobProto job, const PlanCluster& cluster) {
  const int backend =
      cluster.why_mpi.empty() ? job.cluster().all_reduce().backend() : AllReduceProto::kMpi;
  SetDivision({}, job.mutable_neuralnet());
  job.mutable_neuralnet()->clear_partition();
  std::string key = KeyOf({std::move(job), cluster});
  if (cluster.hosts > 1 || cluster.servers > 0)
    key =
        Sha256Hex(StrCat(key, " ", cluster.hosts, " ", cluster.servers, " ", cluster.servers_apart,
                         " ", cluster.link_gbit, " ", cluster.link_us, " ", backend));
  return StrCat("steps-", key, ".json");
}

}  // namespace

void KeepPredictions(const JobProto& job, const JobPlans& plans) {
  if (job.plugin_size() > 0) return;  // plugins change
  StepTimes times;
  for (const JobPlan& plan : plans.plans) times[plan.division] = plan.cost.step_ms;
  WritePlanCache(NameOf(job, plans.cluster), ToText(times));
}

std::optional<double> KeptPrediction(const JobProto& job, const PlanCluster& cluster) {
  if (job.plugin_size() > 0) return {};
  const std::optional<std::string> text = ReadPlanCache(NameOf(job, cluster));
  const std::optional<StepTimes> times = text ? StepTimesOf(*text) : std::nullopt;
  if (!times) return {};
  const std::optional<Division> own = DivisionOf(job.neuralnet(), cluster);
  if (!own) return {};
  const auto at = times->find(*own);
  return at == times->end() ? std::nullopt : std::optional(at->second);
}

}  // namespace singa
