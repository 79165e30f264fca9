// Which layers have no feature that is worth reading: they write files.
#pragma once

#include "singa/proto/layer.pb.h"

namespace singa {

// As the layer of `conf` says (Wiring::writes_file). False for a layer that cannot be made.
bool WritesFile(const LayerProto& conf);

}  // namespace singa
