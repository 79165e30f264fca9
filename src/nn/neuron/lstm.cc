// kLSTM, the long short-term memory of lstm.h.
#include "nn/neuron/lstm.h"

#include "nn/neuron/recurrent.h"

namespace singa {
namespace {

void Step(Context&, const CellStep& step) {
  for (int64_t r = 0; r < step.rows; ++r)
    for (int64_t j = 0; j < step.hidden; ++j) LstmUnit<PlainMath>(step, r, j);
}

void StepGradient(Context&, const CellGradient& step) {
  for (int64_t r = 0; r < step.rows; ++r)
    for (int64_t j = 0; j < step.hidden; ++j) LstmUnitGradient<PlainMath>(step, r, j);
}

[[maybe_unused]] const bool registered =
    LstmStep.Set(Device::kCpu, Step) && LstmStepGradient.Set(Device::kCpu, StepGradient);

class LstmLayer final : public RecurrentLayer {
 public:
  LstmLayer()
      : RecurrentLayer({.conf = "lstm_conf",
                        .gates = 4,
                        .kept = 4,
                        .of_input = {0, 1, 2, 3},
                        .of_state = 0,
                        .has_c = true,
                        .step = &LstmStep,
                        .gradient = &LstmStepGradient}) {}

 private:
  Settings settings(const LayerProto& conf) const override {
    const LSTMProto& lstm = conf.lstm_conf();
    return {lstm.dim_hidden(), lstm.bias_term(), lstm.carry_state()};
  }
};

SINGA_REGISTER_LAYER(kLSTM, LstmLayer);

}  // namespace
}  // namespace singa
