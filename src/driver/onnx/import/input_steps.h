// These functions read steps between a model's input and its first layer as settings of the input
// layer: mean and standard deviation, of all numbers or of each channel.
#pragma once

#include "driver/onnx/import/node_import.h"

namespace singa {

// Read `input - constant` and `input / constant`. Return false if input 0 is neither the model's
// input nor the result of such steps, or if other nodes read it. Refuse a constant without a field.
bool ReadInputDifference(NodeImport* node);
bool ReadInputDivision(NodeImport* node);

}  // namespace singa
