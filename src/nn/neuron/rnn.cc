// kRNN, the simple recurrent unit of rnn.h.
#include "nn/neuron/rnn.h"

#include "nn/neuron/recurrent.h"

namespace singa {
namespace {

void Step(Context&, const CellStep& step) {
  for (int64_t r = 0; r < step.rows; ++r)
    for (int64_t j = 0; j < step.hidden; ++j) RnnUnit<PlainMath>(step, r, j);
}

void StepGradient(Context&, const CellGradient& step) {
  for (int64_t r = 0; r < step.rows; ++r)
    for (int64_t j = 0; j < step.hidden; ++j) RnnUnitGradient<PlainMath>(step, r, j);
}

[[maybe_unused]] const bool registered =
    RnnStep.Set(Device::kCpu, Step) && RnnStepGradient.Set(Device::kCpu, StepGradient);

class RnnLayer final : public RecurrentLayer {
 public:
  RnnLayer()
      : RecurrentLayer({.conf = "rnn_conf",
                        .gates = 1,
                        .kept = 1,
                        .of_input = {0},
                        .of_state = 0,
                        .step = &RnnStep,
                        .gradient = &RnnStepGradient}) {}

 private:
  Settings settings(const LayerProto& conf) const override {
    const RNNProto& rnn = conf.rnn_conf();
    return {rnn.dim_hidden(), rnn.bias_term(), rnn.carry_state()};
  }
};

SINGA_REGISTER_LAYER(kRNN, RnnLayer);

}  // namespace
}  // namespace singa
