// OwnUnits divides the units of a layer over the workers.
#pragma once

#include "singa/base/error.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Returns the number of units of this copy of the layer: its share of `all`, or `all` if units are
// not cut. Throws ConfigError at `field`, which sets `all`.
inline int64_t OwnUnits(const LayerProto& conf, const char* field, int64_t all) {
  if (all < 1) throw ConfigError(field, StrCat("must be >= 1, is ", all));
  if (conf.partition_dim() != 1) return all;
  const int64_t part = conf.partition_id(), parts = conf.num_partitions();
  if (parts > all) throw ConfigError(field, StrCat(all, " cannot be cut over ", parts, " workers"));
  return all * (part + 1) / parts - all * part / parts;
}

}  // namespace singa
