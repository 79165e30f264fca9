// ScaleGradient multiplies the gradients that losses give, by LayerProto.loss_weight and by the
// step's scale (Context::scales_losses).
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// dx *= weight x state->loss_scale; a null `state` is a scale of 1. dx: [n]; `state` is in the
// memory of the context's device.
inline constinit Kernel<void(float* dx, int64_t n, float weight, const StepState* state)>
    ScaleGradient{"ScaleGradient"};

}  // namespace singa
