// AddGraphInput makes the input layer of an imported net.
#pragma once

#include <string>

#include "driver/onnx/import/import_state.h"

namespace singa {

// Adds the layer and the value of the model's one input. `input_shape`: sizes of a row, needed
// where the model leaves a size free; empty: the model's. Throws DataError naming `file` for a
// model without such an input, and Error(kExitUsage) for an `input_shape` that does not fit.
void AddGraphInput(const std::string& file, const Sizes& input_shape, ImportState* state);

}  // namespace singa
