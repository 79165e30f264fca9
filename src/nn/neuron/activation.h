// ActivationLayer is the base class of layers that apply a function to every unit: kReLU, kSigmoid,
// kSTanh, and kActivation, which chooses by name. The gradient needs only the output, so they run
// in place.
#pragma once

#include "singa/nn/layer.h"

namespace singa {

// STANH is a tanh(b x) with f(+-1) = +-1: LeCun et al., Efficient BackProp, 1998, section 4.4.
inline constexpr float kSTanhA = 1.7159047f, kSTanhB = 0.66666667f;

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
    return {.grad_reads_out = true,
            .in_place_with = 0,
            .on_device = true,
            .stops_negatives = activation_.type == RELU && activation_.negative_slope == 0};
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
