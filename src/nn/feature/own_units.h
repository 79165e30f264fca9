// OwnUnits divides the units of a layer over the workers.
#pragma once

#include "nn/graph/bridge_layout.h"
#include "singa/base/error.h"
#include "singa/nn/port.h"
#include "singa/proto/layer.pb.h"

namespace singa {

// Returns the worker's units of a layer that has `all` units, or all of them if the layer is not
// divided by units. Throws ConfigError at `field`, which sets `all`.
inline UnitSpan OwnUnits(const LayerProto& conf, const char* field, int64_t all) {
  if (all < 1) throw ConfigError(field, StrCat("must be >= 1, is ", all));
  const Layout layout = LayoutOf(conf);
  if (layout.units > all)
    throw ConfigError(field, StrCat("must be >= ", layout.units,
                                    ", the number of workers of the group that divide the units, "
                                    "is ",
                                    all, "; with partition_dim: 0 they divide rows instead"));
  const auto [first, count] = PartOf(all, layout.UnitPart(conf.partition_id()), layout.units);
  return {first, count, all};
}

}  // namespace singa
