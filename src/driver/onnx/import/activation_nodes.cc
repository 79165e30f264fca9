// Reads functions of one number: Relu, LeakyRelu, Clip, HardSigmoid, HardSwish, Sigmoid, Tanh, Erf,
// Gelu.
#include <cmath>
#include <limits>
#include <numbers>

#include "driver/onnx/import/node_import.h"
#include "nn/neuron/activation.h"

namespace singa {
namespace {

void AddRelu(float slope, NodeImport* node) {
  const LayerOutput x = node->Feature(0);
  ImportedLayer& layer = node->Add(kReLU, {x}, Sizes(node->graph().ShapeOf(x)));
  if (slope != 0) layer.conf.mutable_relu_conf()->set_negative_slope(slope);
  node->Give(node->FeatureDims(0));
}

void AddActivation(ActivationType type, LayerOutput x, NodeImport* node) {
  node->Add(kActivation, {x}, Sizes(node->graph().ShapeOf(x)))
      .conf.mutable_activation_conf()
      ->set_type(type);
}

// Gives an intermediate value of a layer that will read `x`.
void GiveStep(ValueForm form, float factor, LayerOutput x, NodeImport* node) {
  ImportValue value{.form = form, .dims = node->FeatureDims(0)};
  value.source = x;
  value.factor = factor;
  node->Give(std::move(value));
}

void ReadReluNode(NodeImport* node) { AddRelu(0, node); }
void ReadLeakyRelu(NodeImport* node) { AddRelu(node->Float("alpha", 0.01f), node); }

// Bounds are inputs since opset 11.
void ReadClip(NodeImport* node) {
  constexpr float kMost = std::numeric_limits<float>::max();
  const auto bound = [&](size_t i, const char* name, float missing) {
    if (!node->Has(i)) return node->Float(name, missing);
    const auto number = node->Number(i);
    if (!number) node->Refuse("has a bound that is no constant number");
    return *number;
  };
  const float low = bound(1, "min", -kMost), high = bound(2, "max", kMost);
  if (low <= -kMost && high >= kMost) return node->GiveSame(node->FeatureDims(0));
  if (low == 0 && high >= kMost) return AddRelu(0, node);
  if (low != 0 || high != 6)
    node->Refuse(StrCat("cuts values off at ", low, " and ", high,
                        "; layers cut them off at 0, or at 0 and 6"));
  const ImportValue& x = node->in(0);
  if (x.form == ValueForm::kPlusThree) {  // 6 times the hard sigmoid
    AddActivation(HARD_SIGMOID, x.source, node);
    return GiveStep(ValueForm::kScaled, 6, {node->graph().last_layer(), 0}, node);
  }
  AddActivation(RELU6, node->Feature(0), node);
  node->Give(Sizes(node->FeatureDims(0)));
}

// The operator's default values are not those of a layer.
void ReadHardSigmoid(NodeImport* node) {
  const float slope = node->Float("alpha", 0.2f), shift = node->Float("beta", 0.5f);
  if (std::abs(slope - kHardSlope) > 1e-6f || shift != 0.5f)
    node->Refuse(StrCat("has alpha ", slope, " and beta ", shift, "; a layer has 1/6 and 1/2"));
  AddActivation(HARD_SIGMOID, node->Feature(0), node);
  node->Give(Sizes(node->FeatureDims(0)));
}

void ReadHardSwish(NodeImport* node) {
  AddActivation(HARD_SWISH, node->Feature(0), node);
  node->Give(Sizes(node->FeatureDims(0)));
}

void ReadSigmoidNode(NodeImport* node) { GiveStep(ValueForm::kSigmoid, 1, node->Feature(0), node); }

void ReadTanhNode(NodeImport* node) {
  const ImportValue& x = node->in(0);
  if (x.form == ValueForm::kScaled) return GiveStep(ValueForm::kTanh, x.factor, x.source, node);
  GiveStep(ValueForm::kTanh, 1, node->Feature(0), node);
}

void ReadErf(NodeImport* node) {
  const ImportValue& x = node->in(0);
  if (x.form != ValueForm::kScaled || std::abs(x.factor * std::numbers::sqrt2 - 1) > 1e-6)
    node->Refuse("only GELU, x / 2 (1 + erf(x / sqrt(2))), has a layer with erf");
  GiveStep(ValueForm::kErf, 1, x.source, node);
}

void ReadGelu(NodeImport* node) {
  if (node->Text("approximate", "none") != "none")
    node->Refuse("approximates GELU by tanh; the layer computes the exact form");
  GiveStep(ValueForm::kGelu, 1, node->Feature(0), node);
}

SINGA_REGISTER_ONNX_IMPORT(Relu, ReadReluNode);
SINGA_REGISTER_ONNX_IMPORT(LeakyRelu, ReadLeakyRelu);
SINGA_REGISTER_ONNX_IMPORT(Clip, ReadClip);
SINGA_REGISTER_ONNX_IMPORT(HardSigmoid, ReadHardSigmoid);
SINGA_REGISTER_ONNX_IMPORT(HardSwish, ReadHardSwish);
SINGA_REGISTER_ONNX_IMPORT(Sigmoid, ReadSigmoidNode);
SINGA_REGISTER_ONNX_IMPORT(Tanh, ReadTanhNode);
SINGA_REGISTER_ONNX_IMPORT(Erf, ReadErf);
SINGA_REGISTER_ONNX_IMPORT(Gelu, ReadGelu);

}  // namespace
}  // namespace singa
