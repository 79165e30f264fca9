// Feed: stands for an input layer in a net that computes on rows of its caller's. Where the layer's
// outputs are time steps, a row is all of them: [T, numbers of a step].
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "singa/nn/layer.h"

namespace singa {

// What one forward pass reads. The caller's thread sets it before.
struct FedRows {
  const float* data = nullptr;  // [rows of the net, numbers of a record], planar
};

// Time steps that a given row of an input layer of this wiring has: of those outputs that are
// steps, the ones behind its readers' last step are not given.
inline int64_t StepsOfRow(const Wiring& wiring) {
  return wiring.outputs_are_steps ? wiring.num_outputs - wiring.steps_ahead : 1;
}

// `input` is the layer that the conf has there: it says the shape of a record. Its normalisation is
// applied as in a test; its store is not opened, and labels are none.
std::unique_ptr<Layer> NewFeed(std::unique_ptr<Layer> input, int64_t rows, const FedRows* fed);

}  // namespace singa
