#include "driver/onnx/layer_export.h"

namespace singa {

LayerExports& OnnxExports() {
  static LayerExports exports;
  return exports;
}

OnnxLayer::OnnxLayer(const NetNode& node, OnnxNames in, OnnxGraph* graph)
    : node_(node), graph_(graph), in_(std::move(in)) {}

std::string OnnxLayer::OutputName(const NetNode& node, size_t k) {
  return node.out.size() == 1 ? node.full_name : StrCat(node.full_name, ":", k);
}

std::string OnnxLayer::Step(const std::string& op, const OnnxNames& inputs,
                            const OnnxAttributes& attributes) {
  const std::string value = graph_->Fresh(Inner(op));
  graph_->Add(op, inputs, {value}, attributes);
  return value;
}

void OnnxLayer::Give(const std::string& op, const OnnxNames& inputs,
                     const OnnxAttributes& attributes) {
  out_ = {OutputName(node_, 0)};
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
  for (size_t k = 0; k < node_.out.size(); ++k) out_.push_back(OutputName(node_, k));
  graph_->Add(op, inputs, out_, attributes);
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

}  // namespace singa
