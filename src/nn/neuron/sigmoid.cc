// kSigmoid gives y = 1 / (1 + exp(-x)).
#include "nn/neuron/activation.h"

namespace singa {
namespace {

class SigmoidLayer final : public ActivationLayer {
  Activation Choose(const LayerProto&) const override { return {.type = SIGMOID}; }
};

SINGA_REGISTER_LAYER(kSigmoid, SigmoidLayer);

}  // namespace
}  // namespace singa
