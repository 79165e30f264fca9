// These functions make kEmbedding, kOneHot and kPositionEmbedding of nodes that read indices or
// tables.
#pragma once

#include "driver/onnx/import/node_import.h"

namespace singa {

// Reads a Gather from a constant table: rows for indices, or rows 0, 1, ... for time steps.
void ReadTableRows(NodeImport* node);

}  // namespace singa
