// kGRU, the gated recurrent unit of gru.h.
#include "nn/neuron/gru.h"

#include "nn/neuron/recurrent.h"

namespace singa {
namespace {

void Step(Context&, const CellStep& step) {
  for (int64_t r = 0; r < step.rows; ++r)
    for (int64_t j = 0; j < step.hidden; ++j) GruUnit<PlainMath>(step, r, j);
}

void StepGradient(Context&, const CellGradient& step) {
  for (int64_t r = 0; r < step.rows; ++r)
    for (int64_t j = 0; j < step.hidden; ++j) GruUnitGradient<PlainMath>(step, r, j);
}

[[maybe_unused]] const bool registered =
    GruStep.Set(Device::kCpu, Step) && GruStepGradient.Set(Device::kCpu, StepGradient);

class GruLayer final : public RecurrentLayer {
 public:
  GruLayer()
      : RecurrentLayer({.conf = "gru_conf",
                        .gates = 3,
                        .kept = 4,
                        .of_input = {1, 2, 0},
                        .of_state = 1,
                        .step = &GruStep,
                        .gradient = &GruStepGradient}) {}

 private:
  Settings settings(const LayerProto& conf) const override {
    const GRUProto& gru = conf.gru_conf();
    return {gru.dim_hidden(), gru.bias_term() && conf.param_size() != 6, gru.carry_state()};
  }
};

SINGA_REGISTER_LAYER(kGRU, GruLayer);

}  // namespace
}  // namespace singa
