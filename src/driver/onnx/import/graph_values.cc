#include "driver/onnx/import/graph_values.h"

#include <utility>

namespace singa {

GraphValues::GraphValues(const OnnxModel& model) {
  for (const OnnxNode& node : model.nodes)
    for (const std::string& input : node.inputs) ++readers_[input];
  for (const OnnxValueInfo& output : model.outputs) ++readers_[output.name];
  for (const OnnxTensor& tensor : model.constants)
    Set({.form = ValueForm::kConstant,
         .dims = tensor.dims,
         .name = tensor.name,
         .tensor = &tensor});
}

int GraphValues::Readers(const std::string& name) const {
  const auto readers = readers_.find(name);
  return readers == readers_.end() ? 0 : readers->second;
}

ImportValue& GraphValues::Value(const std::string& name) {
  ImportValue& value = values_[name];
  if (value.name.empty()) value.name = name;
  return value;
}

void GraphValues::Set(ImportValue value) {
  const std::string name = value.name;
  values_.insert_or_assign(name, std::move(value));
}

}  // namespace singa
