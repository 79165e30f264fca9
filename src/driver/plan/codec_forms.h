// These functions measure what codecs of gradients and of outer steps cost, on noise. Each takes
// some 10 ms.
#pragma once

#include "driver/plan/exchange_form.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns the form of the job's compression, for sums over `hosts`. The share that a threshold
// above 0 sends depends on the gradients, so it is taken to be `sparsity`, as for kTopK.
ExchangeForm CodecForm(const JobProto& job, int hosts);

// Returns the form of one exchange of outer steps (group_sync: kOuter) between `hosts`.
ExchangeForm OuterForm(const ClusterProto& conf, int hosts);

}  // namespace singa
