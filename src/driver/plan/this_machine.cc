#include "driver/plan/this_machine.h"

#include "base/system/cgroup.h"
#include "math/machine_peak.h"

namespace singa {

PlanCluster ThisMachine(PlanCluster cluster) {
  cluster.cores = UsableCores();
  return cluster;
}

SyncRates RatesOfThisMachine(const PlanCluster& cluster) {
  SyncRates rates;
  const int copies = cluster.at_once();
  const double bytes = MeasureCopyBandwidth(copies);  // read and written
  rates.copy_gb_per_s = 1e-9 * bytes / 2 / copies;
  return rates;
}

}  // namespace singa
