// These functions show the plans of `singa plan`.
#pragma once

#include <string>

#include "driver/plan/job_plans.h"

namespace singa {

// Returns a table of the found plan's layers, and one of all plans.
std::string PlanTable(const JobPlans& plans);
// Returns one object: {"plans": [{"name": ..., "step_ms": ..., "memory_mb": ..., "bytes": ...}]}.
std::string PlanJson(const JobPlans& plans);

}  // namespace singa
