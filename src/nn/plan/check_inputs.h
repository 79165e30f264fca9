// CheckInputs checks labels, indices and targets on the host before a node computes.
#pragma once

#include "singa/nn/net.h"

namespace singa {

// Calls Layer::CheckInputs, if the layer has inputs to check. Throws DataError with file and number
// of the record for a bad label, index or target that a store gave. REQUIRES: the host's memory has
// the inputs (Transfers::BeforeFeature).
void CheckInputs(const Net& net, const NetNode& node, Phase flags);

}  // namespace singa
