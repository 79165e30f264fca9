// KeepUsedLayers removes layers that no output depends on.
#pragma once

#include "driver/onnx/import/imported_net.h"

namespace singa {

// Keeps the input layer and the layers that the net's outputs depend on, in the order of the nodes
// that gave them.
void KeepUsedLayers(ImportedNet* net);

}  // namespace singa
