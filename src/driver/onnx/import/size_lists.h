// These functions compute lists of sizes while a graph is imported. Programs write the target of a
// Reshape as such a computation, in which the batch is free.
#pragma once

#include "driver/onnx/import/node_import.h"

namespace singa {

// Reads a Concat, and a Slice, of constant lists of integers.
void GiveJoinedLists(NodeImport* node);
void GivePartOfList(NodeImport* node);

// Returns the place in a list of `size`, where a negative one counts from the end; at most `size`.
int64_t ClampedPlace(int64_t size, int64_t place);

}  // namespace singa
