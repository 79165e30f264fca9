#include "nn/neuron/activation.h"

#include "math/elementwise/elementwise.h"

namespace singa {

void ActivationLayer::Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) {
  declare.Sources(in, 1);
  activation_ = Choose(conf);
  switch (activation_.type) {
    case RELU:
      declare.Uses(ReluForward, ReluBackward);
      break;
    case SIGMOID:
      declare.Uses(SigmoidForward, SigmoidBackward);
      break;
    case TANH:
    case STANH:
      declare.Uses(TanhForward, TanhBackward);
      break;
    case GELU:
      declare.Uses(GeluForward, GeluBackward);
      break;
    case SILU:
      declare.Uses(SiluForward, SiluBackward);
      break;
    case RELU6:
    case HARD_SIGMOID:
      declare.Uses(RampForward, RampBackward);
      break;
    case HARD_SWISH:
      declare.Uses(HardSwishForward, HardSwishBackward);
  }
  out[0]->data.SetShape(in[0]->data.shape());
}

void ActivationLayer::ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) {
  const float* x = in[0]->data.data();
  float* y = out[0]->data.data();
  const int64_t n = out[0]->data.size();
  switch (activation_.type) {
    case RELU:
      return ReluForward(ctx, x, y, n, activation_.negative_slope);
    case SIGMOID:
      return SigmoidForward(ctx, x, y, n);
    case TANH:
      return TanhForward(ctx, x, y, n, 1, 1);
    case STANH:
      return TanhForward(ctx, x, y, n, kSTanhA, kSTanhB);
    case GELU:
      return GeluForward(ctx, x, y, n);
    case SILU:
      return SiluForward(ctx, x, y, n);
    case RELU6:
      return RampForward(ctx, x, y, n, 1, 0, 6);
    case HARD_SIGMOID:
      return RampForward(ctx, x, y, n, kHardSlope, 0.5f, 1);
    case HARD_SWISH:
      return HardSwishForward(ctx, x, y, n);
  }
}

void ActivationLayer::ComputeGradient(Context& ctx, Inputs in, Outputs out) {
  if (in[0]->grad.empty()) return;
  const float *x = in[0]->data.data(), *y = out[0]->data.data(), *dy = out[0]->grad.data();
  float* dx = in[0]->grad.data();
  const int64_t n = out[0]->data.size();
  switch (activation_.type) {
    case RELU:
      return ReluBackward(ctx, y, dy, dx, n, activation_.negative_slope);
    case SIGMOID:
      return SigmoidBackward(ctx, y, dy, dx, n);
    case TANH:
      return TanhBackward(ctx, y, dy, dx, n, 1, 1);
    case STANH:
      return TanhBackward(ctx, y, dy, dx, n, kSTanhA, kSTanhB);
    case GELU:
      return GeluBackward(ctx, x, dy, dx, n);
    case SILU:
      return SiluBackward(ctx, x, dy, dx, n);
    case RELU6:
      return RampBackward(ctx, y, dy, dx, n, 1, 6);
    case HARD_SIGMOID:
      return RampBackward(ctx, y, dy, dx, n, kHardSlope, 1);
    case HARD_SWISH:
      return HardSwishBackward(ctx, x, dy, dx, n);
  }
}

namespace {

class NamedActivationLayer final : public ActivationLayer {
  Activation Choose(const LayerProto& conf) const override {
    return {.type = conf.activation_conf().type()};
  }
};

SINGA_REGISTER_LAYER(kActivation, NamedActivationLayer);
SINGA_REGISTER_LAYER(kCudnnActivation, NamedActivationLayer);

}  // namespace
}  // namespace singa
