// The gradients of losses times a scale that the step decides (Context::scales_losses).
#pragma once

#include "singa/tensor/kernel.h"

namespace singa {

// dx *= state->loss_scale. dx: [n]; `state` lies where the context computes.
inline constinit Kernel<void(float* dx, int64_t n, const StepState* state)> ScaleGradient{
    "ScaleGradient"};

}  // namespace singa
