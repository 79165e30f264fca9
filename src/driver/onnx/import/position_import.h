// These functions make a kPositionEmbedding of a table and the Add that reads it.
#pragma once

#include "driver/onnx/import/node_import.h"

namespace singa {

// Reads a Gather of these rows from a constant table. Refuses rows other than one for each time
// step, in order.
void GivePositionsOf(const Sizes& rows, NodeImport* node);
// Reads a Slice of the first rows of a constant table. Returns false if there is no table.
bool ReadPositionSlice(NodeImport* node);

}  // namespace singa
