#include "nn/graph/carry_steps.h"

namespace singa {
namespace {

template <typename Conf>
void CarryIn(bool always, Conf* conf) {
  if (always || !conf->has_carry_state()) conf->set_carry_state(true);
}

}  // namespace

void CarryState(bool always, GraphLayer* layer) {
  if (IsOfType(*layer, kGRU)) CarryIn(always, layer->conf.mutable_gru_conf());
  if (IsOfType(*layer, kLSTM)) CarryIn(always, layer->conf.mutable_lstm_conf());
  if (IsOfType(*layer, kRNN)) CarryIn(always, layer->conf.mutable_rnn_conf());
}

void CarrySteps(int64_t steps, GraphLayer* layer) {
  const Wiring& wiring = layer->wiring;
  if (!wiring.carries_steps) return;
  if (wiring.sequence && !wiring.causal)
    throw ConfigError(IsOfType(*layer, kAttention) ? "attention_conf.causal" : "type",
                      "must read no later time steps: the net computes one step after the other");
  layer->conf.set_carried_steps(static_cast<int32_t>(steps));
}

}  // namespace singa
