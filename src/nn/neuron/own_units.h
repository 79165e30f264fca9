// OwnUnits divides the units of a layer over the workers.
#pragma once

#include <algorithm>

#include "singa/base/error.h"
#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Returns the worker's units of a layer that has `all` units, or all of them if the layer is not
// divided by units. Throws ConfigError at `field`, which sets `all`.
inline UnitSpan OwnUnits(const LayerProto& conf, const char* field, int64_t all) {
  if (all < 1) throw ConfigError(field, StrCat("must be >= 1, is ", all));
  const int64_t parts = std::max(1, conf.num_partitions());
  if (conf.partition_dim() != 1 || parts == 1) return {0, all, all};
  if (parts > all)
    throw ConfigError(field, StrCat("must be >= ", parts,
                                    ", the number of workers of the group that divide the units, "
                                    "is ",
                                    all, "; with partition_dim: 0 they divide rows instead"));
  const auto [first, count] = PartOf(all, conf.partition_id(), parts);
  return {first, count, all};
}

}  // namespace singa
