// FeatureOf makes the layer of a value that several nodes of an ONNX graph make together.
#pragma once

#include "driver/onnx/import/imported_net.h"
#include "driver/onnx/import/layer_graph.h"

namespace singa {

// Returns the feature of `value`. If no layer gives it yet, adds that layer, and makes the value a
// kFeature. Throws ImportRefusal for a part of a function that no layer has.
LayerOutput FeatureOf(ImportValue* value, LayerGraph* layers);

}  // namespace singa
