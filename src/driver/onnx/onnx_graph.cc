#include "driver/onnx/onnx_graph.h"

#include <glog/logging.h>

#include <climits>
#include <functional>
#include <numeric>

#include "base/text/counted.h"
#include "driver/version.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kIrVersion = 8;  // first version with opset 17

void SetType(const OnnxDims& dims, onnx::TensorProto::DataType element,
             onnx::ValueInfoProto* value) {
  onnx::TypeProto::Tensor* type = value->mutable_type()->mutable_tensor_type();
  type->set_elem_type(element);
  for (const OnnxDim& size : dims) {
    auto* dim = type->mutable_shape()->add_dim();
    if (size.name.empty())
      dim->set_dim_value(size.size);
    else
      dim->set_dim_param(size.name);
  }
}

// Returns "fc2 (N, 10), loss (N, 10)".
template <typename Values>
std::string ValuesText(const Values& values) {
  std::string text;
  for (const onnx::ValueInfoProto& value : values) {
    text += StrCat(text.empty() ? "" : ", ", value.name());
    const char* before = " (";
    for (const auto& dim : value.type().tensor_type().shape().dim()) {
      text += before + (dim.has_dim_param() ? dim.dim_param() : StrCat(dim.dim_value()));
      before = ", ";
    }
    text += ")";
  }
  return text;
}

// Throws if the model is too large for protocol buffers.
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

OnnxDims BatchDims(const Shape& shape) {
  OnnxDims dims = {"N"};
  for (int i = 1; i < shape.dims(); ++i) dims.push_back(shape[i]);
  return dims;
}

OnnxGraph::OnnxGraph(std::set<std::string> reserved) : names_(std::move(reserved)) {
  model_.set_ir_version(kIrVersion);
  model_.add_opset_import()->set_version(kOnnxOpset);
  model_.mutable_opset_import(0)->set_domain("");
  model_.set_producer_name("singa");
  model_.set_producer_version(kSingaVersion);
}

std::string OnnxGraph::Fresh(const std::string& wish) {
  std::string name = wish;
  for (int& copies = copies_[wish]; !names_.insert(name).second;)
    name = StrCat(wish, "#", ++copies + 1);
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
  return Weights(param.name(), {&param}, dims);
}

std::string OnnxGraph::Weights(const std::string& wish, const std::vector<const Param*>& params,
                               const std::vector<int64_t>& dims) {
  std::string& name = weights_[{params, dims}];
  if (!name.empty()) return name;
  const int64_t size = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  CheckSize(bytes_ += size * static_cast<int64_t>(sizeof(float)));
  name = Fresh(wish);
  onnx::TensorProto* tensor = AddConstant(name, dims);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  std::string* bytes = tensor->mutable_raw_data();
  bytes->reserve(size * sizeof(float));
  for (const Param* param : params)
    bytes->append(reinterpret_cast<const char*>(param->host().data()), param->data.bytes());
  CHECK_LE(bytes->size(), size * sizeof(float));
  bytes->resize(size * sizeof(float));
  return name;
}

std::set<const Param*> OnnxGraph::params() const {
  std::set<const Param*> all;
  for (const auto& [key, name] : weights_) all.insert(key.first.begin(), key.first.end());
  return all;
}

void OnnxGraph::AddInput(const std::string& name, const OnnxDims& dims,
                         onnx::TensorProto::DataType type) {
  onnx::ValueInfoProto* input = model_.mutable_graph()->add_input();
  input->set_name(name);
  SetType(dims, type, input);
  if (type == onnx::TensorProto::INT64) SetInteger(name);
}

void OnnxGraph::AddOutput(const std::string& name, const OnnxDims& dims) {
  onnx::ValueInfoProto* output = model_.mutable_graph()->add_output();
  output->set_name(name);
  SetType(dims, onnx::TensorProto::FLOAT, output);
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
  for (const Param* param : params()) numbers += param->size();
  const onnx::GraphProto& graph = model_.graph();
  return StrCat(Counted(graph.node_size(), "node"), ", ", Counted(numbers, "number"),
                " in weights; ", ValuesText(graph.input()), " -> ", ValuesText(graph.output()));
}

std::string OnnxGraph::Serialize(const std::string& name) {
  model_.mutable_graph()->set_name(name);
  CheckSize(static_cast<int64_t>(model_.ByteSizeLong()));
  return model_.SerializeAsString();
}

}  // namespace singa
