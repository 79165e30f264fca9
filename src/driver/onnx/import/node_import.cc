#include "driver/onnx/import/node_import.h"

#include <utility>

namespace singa {

NodeReaders& OnnxNodeReaders() {
  static NodeReaders readers("ONNX operator");
  return readers;
}

PartReaders& OnnxPartReaders() {
  static PartReaders readers("part of an ONNX pattern");
  return readers;
}

ImportedLayer& NodeImport::Add(LayerType type, const std::vector<LayerOutput>& sources,
                               const Sizes& shape) {
  return graph().AddLayer(type, node().outputs.empty() ? node().name : node().outputs[0], index(),
                          sources, shape);
}

void NodeImport::Give(const Sizes& dims) {
  ImportValue value{.form = ValueForm::kFeature, .dims = dims};
  value.source = {graph().last_layer(), 0};
  Give(std::move(value));
}

void NodeImport::Give(ImportValue value, size_t output) {
  if (output >= node().outputs.size() || node().outputs[output].empty()) return;
  value.name = node().outputs[output];
  value.node = index();
  if (value.source.layer >= 0 && state().values.Readers(value.name) > 1)
    graph().MarkShared(value.source.layer);
  state().values.Set(std::move(value));
}

void NodeImport::GiveSame(const Sizes& dims) {
  ImportValue value = in(0);
  value.dims = dims;
  if (!value.is_constant() && value.form != ValueForm::kIndices) {
    value.source = Feature(0);
    value.form = ValueForm::kFeature;
  }
  Give(std::move(value));
}

}  // namespace singa
