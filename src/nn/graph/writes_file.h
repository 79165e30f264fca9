// WritesFile tells output layers, which write files, from other layers.
#pragma once

#include "singa/proto/layer.pb.h"

namespace singa {

// Returns Wiring::writes_file of the layer of `conf`; false if the layer cannot be made.
bool WritesFile(const LayerProto& conf);

}  // namespace singa
