// Feed: stands for an input layer in a net that computes on rows of its caller's.
#pragma once

#include <cstdint>
#include <memory>

#include "singa/nn/layer.h"

namespace singa {

// What one forward pass reads. The caller's thread sets it before.
struct FedRows {
  const float* data = nullptr;  // [rows of the net, numbers of a record], planar
};

// `input` is the layer that the conf has there: it says the shape of a record. Its normalisation is
// applied as in a test; its store is not opened, and labels are none.
std::unique_ptr<Layer> NewFeed(std::unique_ptr<Layer> input, int64_t rows, const FedRows* fed);

}  // namespace singa
