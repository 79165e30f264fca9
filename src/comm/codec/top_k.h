// The share of a slice's floats that kTopK sends. In the first warmup_steps it is larger: a
// quarter, then a fourth of that, and so on (the warm-up of Deep Gradient Compression,
// sparse_codec.h).
#pragma once

#include <cstdint>
#include <vector>

#include "singa/proto/cluster.pb.h"

namespace singa {

// Returns the share in `step`. It never rises from one step to the next.
float TopKShare(const AllReduceProto& conf, int64_t step);
// Returns the shares of all steps, in their order.
std::vector<float> TopKShares(const AllReduceProto& conf);
// Returns how many of n floats are sent, at least one.
int64_t TopKCount(float share, int64_t n);

}  // namespace singa
