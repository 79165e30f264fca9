// The units of a layer that its workers cut between them.
#pragma once

#include "singa/base/error.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// The share of this copy of the layer in its `all` units; all of them where they are not cut.
// Throws ConfigError at `field`, which says how many there are.
inline int64_t OwnUnits(const LayerProto& conf, const char* field, int64_t all) {
  if (all < 1) throw ConfigError(field, StrCat("must be >= 1, is ", all));
  if (conf.partition_dim() != 1) return all;
  const int64_t part = conf.partition_id(), parts = conf.num_partitions();
  if (parts > all) throw ConfigError(field, StrCat(all, " cannot be cut over ", parts, " workers"));
  return all * (part + 1) / parts - all * part / parts;
}

}  // namespace singa
