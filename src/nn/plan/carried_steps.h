// CarriedSteps tells when a net that computes one time step a batch must begin anew.
#pragma once

#include "singa/nn/net.h"

namespace singa {

// Returns the number of time steps that the net's layers keep from batch to batch; 0: they keep
// none. When Context::past is as large, the net begins anew with the last half of these steps.
inline int64_t CarriedSteps(const Net& net) {
  for (const NetNode& node : net.nodes())
    if (node.conf.carried_steps() > 0) return node.conf.carried_steps();
  return 0;
}

}  // namespace singa
