// ScaleGradient multiplies the gradients of losses by the step's scale (Context::scales_losses).
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// dx *= state->loss_scale. dx: [n]; `state` is in the memory of the context's device.
inline constinit Kernel<void(float* dx, int64_t n, const StepState* state)> ScaleGradient{
    "ScaleGradient"};

}  // namespace singa
