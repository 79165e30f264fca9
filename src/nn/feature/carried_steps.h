// CarriedSteps and RepeatedSteps say when a net that computes one time step for each batch begins
// anew, and how many steps it then computes again.
#pragma once

#include <cstdint>

#include "singa/nn/net.h"

namespace singa {

// Returns the number of time steps that the net's layers keep from batch to batch; 0: they keep
// none. When Context::past is as large, the net begins anew with the last RepeatedSteps of them.
inline int64_t CarriedSteps(const Net& net) {
  for (const NetNode& node : net.nodes())
    if (node.conf.carried_steps() > 0) return node.conf.carried_steps();
  return 0;
}

// Returns how many of the last time steps are computed again if layers keep `carried`.
constexpr int64_t RepeatedSteps(int64_t carried) { return carried / 2; }

}  // namespace singa
