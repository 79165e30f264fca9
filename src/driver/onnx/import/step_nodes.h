// These functions read nodes that take a part of a value with time steps.
#pragma once

#include "driver/onnx/import/node_import.h"

namespace singa {

// Reads a Gather of one index from a feature: the last time step, or the queries, keys or values of
// an attention. Refuses others.
void ReadOneOf(NodeImport* node);

}  // namespace singa
