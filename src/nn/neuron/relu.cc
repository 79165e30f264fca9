// kReLU: y = x where x > 0, else negative_slope x.
#include <cmath>

#include "nn/neuron/activation.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ReluLayer final : public ActivationLayer {
  Activation Choose(const LayerProto& conf) const override {
    const float slope = conf.relu_conf().negative_slope();
    // With a slope below 0 the output would not tell the sign of the input.
    if (!(slope >= 0) || std::isinf(slope))
      throw ConfigError("relu_conf.negative_slope", StrCat("must be >= 0, is ", slope));
    return {.type = RELU, .negative_slope = slope};
  }
};

SINGA_REGISTER_LAYER(kReLU, ReluLayer);

}  // namespace
}  // namespace singa
