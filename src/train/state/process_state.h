// Tensors of a checkpoint as one process tells another of them.
#pragma once

#include <vector>

#include "io/checkpoint/stored_tensor.h"
#include "singa/proto/rows.pb.h"

namespace singa {

void AddTensors(const std::vector<StoredTensor>& tensors, ProcessState* state);
// Their data is that of `state`. Throws PeerError for what is no tensor.
std::vector<StoredTensor> TensorsOf(const ProcessState& state);

}  // namespace singa
