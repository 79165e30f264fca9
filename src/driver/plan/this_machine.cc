#include "driver/plan/this_machine.h"

#include "math/machine_peak.h"

namespace singa {

SyncRates RatesOfThisMachine(const PlanCluster& cluster) {
  SyncRates rates;
  const int copies = cluster.at_once();
  const double bytes = MeasureCopyBandwidth(copies);  // read and written
  rates.copy_gb_per_s = 1e-9 * bytes / 2 / copies;
  return rates;
}

}  // namespace singa
