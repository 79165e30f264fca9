#include "driver/onnx/onnx_graph.h"

#include <climits>

#include "driver/version.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kIrVersion = 8;  // the first that opset 17 goes with

void SetType(const Shape& shape, onnx::ValueInfoProto* value) {
  onnx::TypeProto::Tensor* type = value->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  for (int i = 0; i < shape.dims(); ++i) {
    auto* dim = type->mutable_shape()->add_dim();
    if (i == 0)
      dim->set_dim_param("N");
    else
      dim->set_dim_value(shape[i]);
  }
}

// "fc2 (N, 10), loss (N, 10)".
template <typename Values>
std::string ValuesText(const Values& values) {
  std::string text;
  for (const onnx::ValueInfoProto& value : values) {
    text += StrCat(text.empty() ? "" : ", ", value.name(), " (");
    for (const auto& dim : value.type().tensor_type().shape().dim())
      text += dim.has_dim_param() ? dim.dim_param() : StrCat(", ", dim.dim_value());
    text += ")";
  }
  return text;
}

// Protocol buffers hold no more.
void CheckSize(int64_t bytes) {
  if (bytes > INT_MAX)
    throw Error(kExitUsage, StrCat("the model has ", bytes,
                                   " bytes or more; an ONNX file holds less than 2 GiB"));
}

template <typename T>
void SetRaw(std::span<const T> values, onnx::TensorProto* tensor) {
  tensor->set_raw_data(values.data(), values.size_bytes());
}

}  // namespace

onnx::AttributeProto OnnxInt(const std::string& name, int64_t value) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
  return attribute;
}

onnx::AttributeProto OnnxFloat(const std::string& name, float value) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(value);
  return attribute;
}

onnx::AttributeProto OnnxInts(const std::string& name, const std::vector<int64_t>& values) {
  onnx::AttributeProto attribute;
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values) attribute.add_ints(value);
  return attribute;
}

OnnxGraph::OnnxGraph(std::set<std::string> reserved) : names_(std::move(reserved)) {
  model_.set_ir_version(kIrVersion);
  model_.add_opset_import()->set_version(kOnnxOpset);
  model_.mutable_opset_import(0)->set_domain("");
  model_.set_producer_name("singa");
  model_.set_producer_version(kVersion);
}

std::string OnnxGraph::Fresh(const std::string& wish) {
  std::string name = wish;
  for (int i = 2; !names_.insert(name).second; ++i) name = StrCat(wish, "#", i);
  return name;
}

void OnnxGraph::Add(const std::string& op, const OnnxNames& inputs, const OnnxNames& outputs,
                    const OnnxAttributes& attributes) {
  onnx::NodeProto* node = model_.mutable_graph()->add_node();
  node->set_name(outputs[0]);
  node->set_op_type(op);
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  for (const onnx::AttributeProto& attribute : attributes) *node->add_attribute() = attribute;
}

onnx::TensorProto* OnnxGraph::AddConstant(const std::string& name,
                                          const std::vector<int64_t>& dims) {
  onnx::TensorProto* tensor = model_.mutable_graph()->add_initializer();
  tensor->set_name(name);
  for (int64_t dim : dims) tensor->add_dims(dim);
  return tensor;
}

std::string OnnxGraph::Floats(const std::string& wish, const std::vector<int64_t>& dims,
                              std::span<const float> values) {
  CheckSize(bytes_ += static_cast<int64_t>(values.size_bytes()));
  const std::string name = Fresh(wish);
  onnx::TensorProto* tensor = AddConstant(name, dims);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  SetRaw(values, tensor);
  return name;
}

std::string OnnxGraph::Ints(const std::string& wish, const std::vector<int64_t>& values) {
  const std::string name = Fresh(wish);
  onnx::TensorProto* tensor = AddConstant(name, {static_cast<int64_t>(values.size())});
  tensor->set_data_type(onnx::TensorProto::INT64);
  SetRaw(std::span<const int64_t>(values), tensor);
  return name;
}

std::string OnnxGraph::Weight(const Param& param, const std::vector<int64_t>& dims) {
  std::string& name = weights_[{&param, dims}];
  if (name.empty())
    name = Floats(param.name(), dims, {param.data.data(), static_cast<size_t>(param.size())});
  return name;
}

void OnnxGraph::AddInput(const std::string& name, const Shape& shape) {
  onnx::ValueInfoProto* input = model_.mutable_graph()->add_input();
  input->set_name(name);
  SetType(shape, input);
  inputs_.insert(name);
}

void OnnxGraph::AddOutput(const std::string& name, const Shape& shape) {
  onnx::ValueInfoProto* output = model_.mutable_graph()->add_output();
  output->set_name(name);
  SetType(shape, output);
}

void OnnxGraph::Describe(const std::string& key, const std::string& value) {
  for (const auto& entry : model_.metadata_props())
    if (entry.key() == key) return;
  onnx::StringStringEntryProto* entry = model_.add_metadata_props();
  entry->set_key(key);
  entry->set_value(value);
}

std::string OnnxGraph::Summary() const {
  int64_t numbers = 0;
  for (const auto& weight : weights_) numbers += weight.first.first->size();
  const onnx::GraphProto& graph = model_.graph();
  return StrCat(graph.node_size(), " nodes, ", numbers, " numbers in weights; ",
                ValuesText(graph.input()), " -> ", ValuesText(graph.output()));
}

std::string OnnxGraph::Serialize(const std::string& name) {
  model_.mutable_graph()->set_name(name);
  CheckSize(static_cast<int64_t>(model_.ByteSizeLong()));
  return model_.SerializeAsString();
}

}  // namespace singa
