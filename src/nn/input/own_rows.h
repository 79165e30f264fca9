// The rows of the group's batch that a worker has.
#pragma once

#include <algorithm>

#include "singa/base/error.h"
#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Worker i of K takes rows [i B / K, (i + 1) B / K) of a batch of B; where the units are cut, all.
// Throws ConfigError at `field`, which says how many there are.
inline RowSpan OwnRows(const LayerProto& conf, const char* field, int64_t batch) {
  const int64_t parts = std::max(1, conf.num_partitions()), part = conf.partition_id();
  if (parts == 1 || conf.partition_dim() == 1) return {0, batch, batch};
  if (batch < parts)
    throw ConfigError(
        field, StrCat("must be >= ", parts, ", the number of workers of the group, is ", batch));
  const int64_t first = part * batch / parts;
  return {first, (part + 1) * batch / parts - first, batch};
}

}  // namespace singa
