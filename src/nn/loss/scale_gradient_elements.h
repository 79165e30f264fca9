// Device code for one thread of the kernel of nn/loss/scale_gradient.h.
#pragma once

#include "singa/tensor/context.h"
#include "tensor/kernel/host_device.h"

namespace singa {

struct ScaleGradientElement {
  float* dx;
  float weight;
  const StepState* state;

  SINGA_HD float factor() const { return state ? weight * state->loss_scale : weight; }
  SINGA_HD void operator()(int64_t i) const { dx[i] *= factor(); }
};

}  // namespace singa
