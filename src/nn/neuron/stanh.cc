// kSTanh gives y = 1.7159047 tanh(0.66666667 x).
#include "nn/neuron/activation.h"

namespace singa {
namespace {

class STanhLayer final : public ActivationLayer {
  Activation Choose(const LayerProto&) const override { return {.type = STANH}; }
};

SINGA_REGISTER_LAYER(kSTanh, STanhLayer);

}  // namespace
}  // namespace singa
