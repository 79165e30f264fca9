// Code for one element of the kernels of nn/neuron/rbm.h.
#pragma once

#include "tensor/kernel/host_device.h"

namespace singa {

struct BinarySampleOf {
  SINGA_HD float operator()(float p, float s) const { return s < p ? 1 : 0; }
};

struct GaussianSampleOf {
  SINGA_HD float operator()(float p, float s) const { return s + p; }
};

}  // namespace singa
