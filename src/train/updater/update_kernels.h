// One kernel slot per update rule: a single pass over w, g and the states of all pieces.
// UpdateBatch::steps are the rule's elements (update_elements.h).
#pragma once

#include "singa/tensor/kernel.h"
#include "singa/train/updater.h"

namespace singa {

using UpdateKernel = Kernel<void(const UpdateBatch& batch)>;

// The steps of these two are SgdElement.
inline constinit UpdateKernel SgdUpdate{"SgdUpdate"}, MomentumUpdate{"MomentumUpdate"};
// The steps are NesterovElement and so on.
inline constinit UpdateKernel NesterovUpdate{"NesterovUpdate"}, AdaGradUpdate{"AdaGradUpdate"},
    RmsPropUpdate{"RmsPropUpdate"}, AdaDeltaUpdate{"AdaDeltaUpdate"}, AdamUpdate{"AdamUpdate"},
    AdamWUpdate{"AdamWUpdate"}, AdaMaxUpdate{"AdaMaxUpdate"};
// Updates the averages of values (AveragedValues), not the values. The gradients are not used.
inline constinit UpdateKernel AverageUpdate{"AverageUpdate"};

}  // namespace singa
