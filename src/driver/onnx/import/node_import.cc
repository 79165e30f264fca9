#include "driver/onnx/import/node_import.h"

#include <iterator>
#include <utility>

namespace singa {
namespace {

constexpr int64_t kMostComputed = 1 << 20;  // of small files, whose lists are copied

}  // namespace

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
  if (value.dims.size() > kMostRank)
    Refuse(StrCat("gives ", value.dims.size(), " dimensions; an import reads at most ", kMostRank));
  if (value.integers && (state().integers += std::ssize(*value.integers)) > kMostComputed)
    Refuse(StrCat("computes a list of integers, beyond ", kMostComputed, " in all"));
  value.name = node().outputs[output];
  value.node = index();
  if (value.source.layer >= 0 && state().values.Readers(value.name) > 1)
    graph().MarkShared(value.source.layer);
  state().values.Set(std::move(value));
}

void NodeImport::GiveSame(const Sizes& dims) {
  ImportValue value = in(0);
  value.dims = dims;
  value.is_next_state = false;  // a node reads it, so it is more than a state
  if (!value.is_constant() && value.form != ValueForm::kIndices) {
    value.source = Feature(0);
    value.form = ValueForm::kFeature;
  }
  Give(std::move(value));
}

}  // namespace singa
