// Converts tensors of a checkpoint to and from the message that one process sends to another.
#pragma once

#include <vector>

#include "io/checkpoint/stored_tensor.h"
#include "singa/proto/rows.pb.h"

namespace singa {

void AddTensors(const std::vector<StoredTensor>& tensors, ProcessState* state);
// Returns tensors whose data is in `state`. Throws PeerError for an invalid tensor.
std::vector<StoredTensor> TensorsOf(const ProcessState& state);

}  // namespace singa
