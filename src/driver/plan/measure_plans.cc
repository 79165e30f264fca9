#include "driver/plan/measure_plans.h"

#include <algorithm>
#include <map>
#include <vector>

#include "cluster/workers/worker_groups.h"
#include "driver/timing/measure_ms.h"
#include "driver/timing/median.h"
#include "train/state/init_params.h"

namespace singa {
namespace {

constexpr int kRounds = 3;
constexpr int64_t kFirstSteps = 2, kLeastOfRound = 3, kMostOfRound = 30;
constexpr double kRoundMs = 1000;  // of the measured steps of a round

double Step(WorkerGroups* groups, int64_t step) {
  return MeasureMs([&] { groups->team(0).TrainStep(step); });
}

// Returns the median time of a step, in ms.
double MeasureSteps(const JobProto& job, int threads) {
  WorkerGroups groups(job, threads);
  groups.memory().Check();
  groups.Allocate();
  Trainer& lead = groups.lead();
  lead.replica().SetEpochSteps(1);  // the rate does not change the time
  InitParams(lead.model().ctx(), {}, &lead.model().params());
  groups.team(0).BroadcastValues(&lead);
  groups.Start(kFirstSteps + kMostOfRound);
  double sum = 0;
  for (int64_t step = 0; step < kFirstSteps; ++step) Step(&groups, step);
  std::vector<double> ms;
  while (std::ssize(ms) < kMostOfRound && (std::ssize(ms) < kLeastOfRound || sum < kRoundMs)) {
    ms.push_back(Step(&groups, kFirstSteps + std::ssize(ms)));
    sum += ms.back();
  }
  return Median(std::move(ms));
}

}  // namespace

void MeasurePlans(const JobProto& job, const PlanCluster& cluster, int64_t most_bytes,
                  std::vector<JobPlan>* plans) {
  std::map<Division, std::vector<double>> measured;  // plans may be the same
  for (const JobPlan& plan : *plans)
    if (plan.memory <= most_bytes) measured[plan.division];
  for (int round = 0; round < kRounds; ++round)
    for (auto& [division, ms] : measured)
      ms.push_back(MeasureSteps(JobOf(job, cluster, division), cluster.threads));
  for (JobPlan& plan : *plans)
    if (plan.memory <= most_bytes) plan.measured_ms = Median(measured.at(plan.division));
}

}  // namespace singa
