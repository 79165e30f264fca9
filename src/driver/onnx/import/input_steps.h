// These functions read steps between a model's input and its first layer as settings of the input
// layer: mean and standard deviation, of all numbers or of each channel.
#pragma once

#include "driver/onnx/import/node_import.h"

namespace singa {

// Read `input - constant` and `input / constant`. Return false if input 0 is not the model's input
// with steps that went before, or if others read it. Refuse a constant that has no field.
bool ReadInputDifference(NodeImport* node);
bool ReadInputDivision(NodeImport* node);

}  // namespace singa
