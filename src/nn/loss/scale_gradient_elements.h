// Device code for one thread of the kernel of nn/loss/scale_gradient.h.
#pragma once

#include "singa/tensor/context.h"
#include "tensor/kernel/host_device.h"

namespace singa {

struct ScaleGradientElement {
  float* dx;
  const StepState* state;
  SINGA_HD void operator()(int64_t i) const { dx[i] *= state->loss_scale; }
};

}  // namespace singa
