// AddLoss makes the end of an imported net a loss, so that the net can be trained and tested.
#pragma once

#include <string>

#include "driver/onnx/import/imported_net.h"

namespace singa {

// `kind`: "softmax", "sigmoid", "euclidean", "none", or "" for the loss that fits the net's end. A
// softmax, its logarithm, or a sigmoid at the end becomes part of its loss. Returns whether a
// kSoftmaxLoss is a guess, as neither `kind` nor the net's end says it. Throws Error(kExitUsage) if
// the net has no end of that kind, or has a LogSoftmax that becomes no loss.
bool AddLoss(const std::string& kind, ImportedNet* net);

}  // namespace singa
