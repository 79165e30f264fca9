// AddAttentionLayer makes a kAttention of parts that the nodes of an attention have given.
#pragma once

#include <string>

#include "driver/onnx/import/layer_graph.h"

namespace singa {

// Adds the layer that gives `value`, a kProjected. `bias` is added to the last product; null: none.
// Throws ImportRefusal if no kAttention has such parts.
void AddAttentionLayer(const ImportValue& value, const ImportedParam* bias, LayerGraph* layers);

}  // namespace singa
