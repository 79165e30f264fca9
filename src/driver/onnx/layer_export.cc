#include "driver/onnx/layer_export.h"

namespace singa {

LayerExports& OnnxExports() {
  static LayerExports exports("ONNX form");
  return exports;
}

OnnxLayer::OnnxLayer(const NetNode& node, OnnxNames in, TimeSteps* steps, OnnxGraph* graph)
    : node_(node), steps_(steps), graph_(graph), in_(std::move(in)) {}

namespace {

// Returns the name of output k. States of a recurrent layer are not counted as outputs, as a conf
// cannot name them.
std::string Numbered(const std::string& name, const NetNode& node, size_t k) {
  const size_t outputs = node.wiring.num_outputs;
  if (k >= outputs) return StrCat(name, "#state", k - outputs);
  return outputs == 1 ? name : StrCat(name, ":", k);
}

}  // namespace

std::string OnnxLayer::OutputName(const NetNode& node, size_t k) {
  return Numbered(node.name, node, k);
}

std::string OnnxLayer::ValueName(const NetNode& node, size_t k) {
  const std::string name = Numbered(node.full_name, node, k);
  return StepsOf(node) > 1 ? name + "#rows" : name;
}

std::vector<int64_t> SizesBehindRows(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (int i = 1; i < shape.dims(); ++i) sizes.push_back(shape[i]);
  return sizes;
}

std::string OnnxLayer::Step(const std::string& op, const OnnxNames& inputs,
                            const OnnxAttributes& attributes) {
  const std::string value = graph_->Fresh(Inner(op));
  graph_->Add(op, inputs, {value}, attributes);
  return value;
}

void OnnxLayer::Give(const std::string& op, const OnnxNames& inputs,
                     const OnnxAttributes& attributes) {
  out_ = {ValueName(node_, 0)};
  graph_->Add(op, inputs, out_, attributes);
}

void OnnxLayer::GiveImage(const std::string& op, const OnnxNames& inputs,
                          const OnnxAttributes& attributes) {
  if (out_shape().dims() != 3) return Give(op, inputs, attributes);
  const std::string image = Step(op, inputs, attributes);
  Give("Reshape", {image, graph_->Ints(Inner("shape"), {-1, out_shape()[1], out_shape()[2]})});
}

void OnnxLayer::GiveAll(const std::string& op, const OnnxNames& inputs,
                        const OnnxAttributes& attributes) {
  out_.clear();
  for (size_t k = 0; k < node_.out.size(); ++k) out_.push_back(ValueName(node_, k));
  graph_->Add(op, inputs, out_, attributes);
}

void OnnxLayer::GiveRows(const OnnxNames& values) {
  out_.clear();
  for (size_t k = 0; k < values.size(); ++k) {
    const Shape& shape = node_.out[k]->data.shape();
    out_.push_back(ValueName(node_, k));
    graph_->Add("Reshape", {values[k], graph_->Ints(Inner("shape"), {-1, shape[shape.dims() - 1]})},
                {out_.back()});
  }
}

std::string OnnxLayer::Rows() {
  return in_shape().dims() == 2 ? in_[0] : Step("Flatten", {in_[0]}, {OnnxInt("axis", 1)});
}

std::string OnnxLayer::Image() {
  if (in_shape().dims() != 3) return in_[0];
  return Reshape(in_[0], {1, in_shape()[1], in_shape()[2]});
}

std::string OnnxLayer::Reshape(const std::string& value, std::vector<int64_t> sizes) {
  sizes.insert(sizes.begin(), -1);
  return Step("Reshape", {value, graph_->Ints(Inner("shape"), sizes)});
}

std::string OnnxLayer::Number(const std::string& what, float value) {
  return graph_->Floats(Inner(what), {}, {&value, 1});
}

std::string OnnxLayer::Indices() {
  if (graph_->IsInteger(in_[0])) return in_[0];
  return Step("Cast", {Reshape(in_[0], {})}, {OnnxInt("to", onnx::TensorProto::INT64)});
}

}  // namespace singa
