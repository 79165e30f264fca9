// kReLU gives y = x if x > 0, else negative_slope x.
#include <cmath>

#include "nn/neuron/activation.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ReluLayer final : public ActivationLayer {
  Activation Choose(const LayerProto& conf) const override {
    const float slope = conf.relu_conf().negative_slope();
    // The gradient needs the sign of the input, which the output does not show if the slope is
    // below 0.
    if (!(slope >= 0) || std::isinf(slope))
      throw ConfigError("relu_conf.negative_slope", StrCat("must be >= 0, is ", slope));
    return {.type = RELU, .negative_slope = slope};
  }
};

SINGA_REGISTER_LAYER(kReLU, ReluLayer);

}  // namespace
}  // namespace singa
