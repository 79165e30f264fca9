// The bound of a gradient's norm, for the host and for devices.
#pragma once

#include "tensor/kernel/host_device.h"

namespace singa {

// The factor of a gradient of norm `norm`, whose bound is `clip_norm`; 0: no bound. Pascanu et al.,
// "On the difficulty of training recurrent neural networks" (2013).
SINGA_HD inline float ClipScale(float clip_norm, double norm) {
  return clip_norm > 0 && norm > clip_norm ? static_cast<float>(clip_norm / norm) : 1.f;
}

}  // namespace singa
