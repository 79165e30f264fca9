// SortNodes puts the nodes of an ONNX graph in an order in which each can be computed.
#pragma once

#include <string>

#include "driver/onnx/import/onnx_model.h"

namespace singa {

// Sorts the nodes so that each comes after the nodes that it reads. Nodes that are in order stay as
// they are. Throws DataError naming `file` for a cycle, for a value that no node or several nodes
// give, and for an output that no node gives.
void SortNodes(const std::string& file, OnnxModel* model);

}  // namespace singa
