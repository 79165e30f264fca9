// Device code for one thread of the kernel of nn/input/mnist.h.
#pragma once

#include "tensor/kernel/host_device.h"

namespace singa {

struct DivideSubtractOf {
  float a, b;
  SINGA_HD float operator()(float x) const { return x / a - b; }
};

}  // namespace singa
