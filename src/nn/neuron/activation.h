// ActivationLayer is the base class of layers that apply a function to every unit: kReLU, kSigmoid,
// kSTanh, and kActivation, which chooses by name. Most gradients need only the output, so these
// layers run in place. Those of GELU, SILU and HARD_SWISH need the input, which then stays.
#pragma once

#include <optional>

#include "singa/nn/layer.h"

namespace singa {

// STANH is a tanh(b x) with f(+-1) = +-1: LeCun et al., Efficient BackProp, 1998, section 4.4.
inline constexpr float kSTanhA = 1.7159047f, kSTanhB = 0.66666667f;
// The slope of HARD_SIGMOID where it rises: Howard et al., arXiv:1905.02244, section 5.2.
inline constexpr float kHardSlope = 1 / 6.f;

// Returns whether a layer gives max(0, x), so that its source can do its work (Layer::Fuse).
inline bool CutsNegatives(const LayerProto& layer) {
  if (layer.type() == kActivation || layer.type() == kCudnnActivation)
    return layer.activation_conf().type() == RELU;
  return layer.type() == kReLU && layer.relu_conf().negative_slope() == 0;
}

// Returns GELU or SILU if the layer applies it: its source can do so instead (Layer::Fuse). Else
// none.
inline std::optional<ActivationType> SmoothFunctionOf(const LayerProto& layer) {
  if (layer.type() != kActivation && layer.type() != kCudnnActivation) return {};
  const ActivationType type = layer.activation_conf().type();
  if (type != GELU && type != SILU) return {};
  return type;
}

struct Activation {
  ActivationType type = RELU;
  float negative_slope = 0;  // only for RELU
};

class ActivationLayer : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .unit_cut = UnitCut::kEach};
  }
  Traits traits() const override {
    const ActivationType type = activation_.type;
    const bool of_input = type == GELU || type == SILU || type == HARD_SWISH;
    return {.grad_reads_in = of_input,
            .grad_reads_out = !of_input,
            .in_place_with = 0,
            .on_device = true,
            .stops_negatives = type == RELU6 || (type == RELU && activation_.negative_slope == 0)};
  }
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override;
  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override;
  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override;

 protected:
  virtual Activation Choose(const LayerProto& conf) const = 0;

 private:
  Activation activation_;
};

}  // namespace singa
