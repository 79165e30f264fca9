// These functions make a kAttention of the nodes that compute it.
#pragma once

#include "driver/onnx/import/node_import.h"

namespace singa {

// Read a node of an attention. Return false if the node belongs to no attention.
bool ReadAttentionMatMul(NodeImport* node);
bool ReadAttentionSoftmax(size_t axis, NodeImport* node);
bool ReadAttentionAdd(NodeImport* node);
// Reads the last product of an attention. `transposed`: the matrix is (inputs, outputs).
void ReadAttentionGemm(const ImportedParam& weight, bool transposed, NodeImport* node);

}  // namespace singa
