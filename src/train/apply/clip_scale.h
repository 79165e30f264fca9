// ClipScale bounds the norm of a gradient, on the host and on devices.
#pragma once

#include "tensor/kernel/host_device.h"

namespace singa {

// Returns the factor that bounds a gradient of norm `norm` by `clip_norm`; 0: no bound. Source:
// Pascanu et al., "On the difficulty of training recurrent neural networks" (2013).
SINGA_HD inline float ClipScale(float clip_norm, double norm) {
  return clip_norm > 0 && norm > clip_norm ? static_cast<float>(clip_norm / norm) : 1.f;
}

}  // namespace singa
