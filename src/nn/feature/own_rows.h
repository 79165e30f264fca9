// OwnRows gives the rows of the group's batch that a worker has.
#pragma once

#include <algorithm>

#include "singa/base/error.h"
#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Returns rows [i B / K, (i + 1) B / K) of a batch of B for worker i of K. Throws ConfigError at
// `field`, which sets B, if B < K.
inline RowSpan OwnRows(const LayerProto& conf, const char* field, int64_t batch) {
  const int64_t parts = std::max(1, conf.num_partitions()), part = conf.partition_id();
  if (parts == 1) return {0, batch, batch};
  if (batch < parts)
    throw ConfigError(
        field, StrCat("must be >= ", parts, ", the number of workers of the group, is ", batch));
  const auto [first, rows] = PartOf(batch, part, parts);
  return {first, rows, batch};
}

}  // namespace singa
