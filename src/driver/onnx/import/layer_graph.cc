#include "driver/onnx/import/layer_graph.h"

#include <algorithm>
#include <climits>

#include "singa/base/str_cat.h"
#include "singa/tensor/shape.h"

namespace singa {

bool IsRowOfALayer(const Sizes& row) {
  int64_t product = 1;
  for (int64_t size : row)
    if (size < 1 || size > INT_MAX || __builtin_mul_overflow(product, size, &product)) return false;
  return product <= kMostInRow && row.size() < Shape::kMaxDims;
}

void LayerGraph::Refuse(int node, const std::string& why) const {
  throw ImportRefusal{StrCat(node < 0 ? "the input" : model_.nodes[node].Text(), ": ", why)};
}

ImportedLayer& LayerGraph::AddLayer(LayerType type, const std::string& value, int node,
                                    const std::vector<LayerOutput>& sources, const Sizes& shape) {
  if (!IsRowOfALayer(shape))
    Refuse(node, StrCat("would have rows of ", SizesText(shape),
                        ", which are empty or too large for a layer"));
  int steps = 1;
  for (const LayerOutput& source : sources) steps = std::max(steps, StepsOf(source));
  ImportedLayer& layer = layers_.emplace_back();
  layer.conf.set_type(type);
  layer.value = value;
  layer.node = node;
  layer.sources = sources;
  layer.shapes = {shape};
  layer.steps = steps;
  return layer;
}

}  // namespace singa
