// Feed replaces an input layer in a net that computes on the caller's rows. If the layer's outputs
// are time steps, a row is [T, numbers of a step].
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "singa/nn/layer.h"

namespace singa {

// Input of one forward pass. The caller's thread sets it before the pass.
struct FedRows {
  const float* data = nullptr;  // [rows of the net, numbers of a record], planar
};

// Returns the time steps of a given row for an input layer of this wiring. Outputs after the
// readers' last step are not given.
inline int64_t StepsOfRow(const Wiring& wiring) {
  return wiring.outputs_are_steps ? wiring.num_outputs - wiring.steps_ahead : 1;
}

// Makes a Feed for `input`, the conf's layer, which gives the shape of a record. The Feed
// normalises as `input` does in a test. It opens no store and gives no labels.
std::unique_ptr<Layer> NewFeed(std::unique_ptr<Layer> input, int64_t rows, const FedRows* fed);

}  // namespace singa
