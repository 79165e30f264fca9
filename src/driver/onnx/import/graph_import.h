// ImportNet makes a net of layers of the nodes of an ONNX graph.
#pragma once

#include <string>

#include "driver/onnx/import/imported_net.h"
#include "driver/onnx/import/tensor_values.h"

namespace singa {

// `input_shape`: sizes of a row, needed where the file leaves a size free; empty: the file's.
// Throws DataError that lists nodes without a layer, or for damaged tensors. The net points into
// `model`.
ImportedNet ImportNet(const OnnxModel& model, const std::string& file, const Sizes& input_shape,
                      TensorValues* tensors);

}  // namespace singa
