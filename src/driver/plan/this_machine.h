// These functions describe the machine that the program runs on, for plans.
#pragma once

#include "driver/plan/job_costs.h"

namespace singa {

// Returns `cluster` with hosts that have as many cores as this process may use.
PlanCluster ThisMachine(PlanCluster cluster);
// Measures how fast the workers of a host exchange bytes. Takes some 100 ms.
SyncRates RatesOfThisMachine(const PlanCluster& cluster);

}  // namespace singa
