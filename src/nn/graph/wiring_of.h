// WiringOf tells what a layer says of itself before a net is built.
#pragma once

#include "singa/nn/layer.h"

namespace singa {

// Returns the wiring of the layer of `conf`; the default one if the layer cannot be made, which is
// reported where the net is built.
Wiring WiringOf(const LayerProto& conf);

// Returns whether the layer of `conf` is an output layer, which writes a file.
inline bool WritesFile(const LayerProto& conf) { return WiringOf(conf).writes_file; }

}  // namespace singa
