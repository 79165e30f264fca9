// Exports kReLU, kSigmoid, kSTanh and kActivation.
#include "nn/neuron/activation.h"

#include "driver/onnx/layer_export.h"

namespace singa {
namespace {

// Opset 17 has no Gelu: x / 2 (1 + erf(x / sqrt(2))).
void WriteGelu(const std::string& x, OnnxLayer* layer) {
  const std::string inner = layer->Step("Mul", {x, layer->Number("root", 0.70710678f)});
  const std::string share =
      layer->Step("Add", {layer->Step("Erf", {inner}), layer->Number("one", 1)});
  layer->Give("Mul", {layer->Step("Mul", {x, layer->Number("half", 0.5f)}), share});
}

void WriteActivation(ActivationType type, float negative_slope, OnnxLayer* layer) {
  const std::string& x = layer->in()[0];
  switch (type) {
    case RELU:
      if (negative_slope == 0) return layer->Give("Relu", {x});
      return layer->Give("LeakyRelu", {x}, {OnnxFloat("alpha", negative_slope)});
    case SIGMOID:
      return layer->Give("Sigmoid", {x});
    case TANH:
      return layer->Give("Tanh", {x});
    case STANH: {
      const std::string inner = layer->Step("Mul", {x, layer->Number("b", kSTanhB)});
      return layer->Give("Mul", {layer->Step("Tanh", {inner}), layer->Number("a", kSTanhA)});
    }
    case GELU:
      return WriteGelu(x, layer);
    case SILU:
      return layer->Give("Mul", {x, layer->Step("Sigmoid", {x})});
    case RELU6:
      return layer->Give("Clip", {x, layer->Number("low", 0), layer->Number("high", 6)});
    case HARD_SIGMOID:
      return layer->Give("HardSigmoid", {x}, {OnnxFloat("alpha", kHardSlope)});
    case HARD_SWISH:
      return layer->Give("HardSwish", {x});
  }
}

void WriteRelu(OnnxLayer* layer) {
  WriteActivation(RELU, layer->conf().relu_conf().negative_slope(), layer);
}
void WriteSigmoid(OnnxLayer* layer) { WriteActivation(SIGMOID, 0, layer); }
void WriteSTanh(OnnxLayer* layer) { WriteActivation(STANH, 0, layer); }
void WriteNamed(OnnxLayer* layer) {
  WriteActivation(layer->conf().activation_conf().type(), 0, layer);
}

SINGA_REGISTER_ONNX(kReLU, WriteRelu);
SINGA_REGISTER_ONNX(kSigmoid, WriteSigmoid);
SINGA_REGISTER_ONNX(kSTanh, WriteSTanh);
SINGA_REGISTER_ONNX(kActivation, WriteNamed);
SINGA_REGISTER_ONNX(kCudnnActivation, WriteNamed);

}  // namespace
}  // namespace singa
