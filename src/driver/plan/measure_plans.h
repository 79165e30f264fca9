// MeasurePlans trains with plans for some steps and measures them.
#pragma once

#include <vector>

#include "driver/plan/job_plans.h"

namespace singa {

// Sets measured_ms of each plan. The workers are threads of this process. Plans take turns, as the
// speed of a machine changes. Throws DeviceError if there is too little memory.
void MeasurePlans(const JobProto& job, std::vector<JobPlan>* plans, const PlanCluster& cluster);

}  // namespace singa
