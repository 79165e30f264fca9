// Model errors tell how far the predicted times of steps were from measured ones on this machine.
// The plan cache keeps those of the last plans that were measured.
#pragma once

#include <vector>

#include "driver/plan/job_plans.h"
#include "driver/plan/part_times.h"

namespace singa {

// Adds the errors of those plans that were measured, one for each division.
void KeepModelErrors(const std::vector<JobPlan>& plans);

// Returns the median of the errors that are kept, or what is assumed if there are too few.
ModelError KeptModelError();

// Returns the error that fits to `errors`, relative differences of predictions.
ModelError FittedError(const std::vector<double>& errors);

}  // namespace singa
