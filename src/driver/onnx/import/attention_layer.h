// AddAttentionLayer makes a kAttention of the parts that nodes have named.
#pragma once

#include <string>

#include "driver/onnx/import/layer_graph.h"

namespace singa {

// Adds the layer that gives `value`, a kProjected. `bias`: of the last product; may be null. Throws
// ImportRefusal for parts that no kAttention has.
void AddAttentionLayer(const ImportValue& value, const ImportedParam* bias, LayerGraph* layers);

}  // namespace singa
