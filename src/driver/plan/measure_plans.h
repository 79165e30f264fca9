// MeasurePlans trains with plans for some steps and measures them.
#pragma once

#include <vector>

#include "driver/plan/job_plans.h"

namespace singa {

// Sets measured_ms of each plan whose workers need `most_bytes` each or less. The workers are
// threads of this process. Plans take turns, as the speed of a machine changes. Throws DeviceError
// if there is too little memory.
void MeasurePlans(const JobProto& job, const PlanCluster& cluster, int64_t most_bytes,
                  std::vector<JobPlan>* plans);

}  // namespace singa
