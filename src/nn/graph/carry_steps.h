// In a net that computes one time step a batch, layers carry what they need of the steps before.
#pragma once

#include "nn/graph/graph.h"

namespace singa {

// Makes a kGRU, kLSTM or kRNN carry its state. If `always` is false, carry_state: false in the conf
// prevents this.
void CarryState(bool always, GraphLayer* layer);

// Makes a layer with Wiring::carries_steps keep `steps` time steps. Throws ConfigError, relative to
// the layer, if its steps read later ones.
void CarrySteps(int64_t steps, GraphLayer* layer);

}  // namespace singa
