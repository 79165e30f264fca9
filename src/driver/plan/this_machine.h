// Measures the machine that the program runs on, for plans.
#pragma once

#include "driver/plan/job_costs.h"

namespace singa {

// Measures how fast the workers of a host exchange bytes. Takes some 100 ms.
SyncRates RatesOfThisMachine(const PlanCluster& cluster);

}  // namespace singa
