// These functions show the plans of `singa plan`.
#pragma once

#include <string>

#include "driver/plan/job_plans.h"

namespace singa {

// Returns tables of the found plan's layers, of all plans, and, with several hosts, of the ways to
// exchange gradients.
std::string PlanTable(const JobPlans& plans);
// Returns one object: {"plans": [{"name": ..., "step_ms": ..., "memory_mb": ..., "bytes": ...}]}.
std::string PlanJson(const JobPlans& plans);

}  // namespace singa
