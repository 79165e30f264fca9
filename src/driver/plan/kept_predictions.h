// Predicted times of steps are kept in the plan cache, so that a run of a job that was planned here
// can tell them beside the measured ones.
#pragma once

#include <optional>

#include "driver/plan/job_plans.h"

namespace singa {

// Keeps the times of all plans of `job`, which rest on measurements of this machine.
void KeepPredictions(const JobProto& job, const JobPlans& plans);

// Returns the predicted time of a step, in ms, of `job` with its own division by the workers of
// `cluster`; none: no plan of it is kept.
std::optional<double> KeptPrediction(const JobProto& job, const PlanCluster& cluster);

}  // namespace singa
