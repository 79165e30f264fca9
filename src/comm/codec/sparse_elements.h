// The numbers of sparse codecs, for one float: on the host (sparse_codec.cc) and on devices
// (sparse_slices.h). No product is fused with a sum, so all give the same bits.
#pragma once

#include "tensor/kernel/host_device.h"

namespace singa {

// Returns x plus the rest. A rest of 0 leaves the bits of a float as they are, also those of -0.
SINGA_HD inline float AddedToRest(float x, float rest) { return rest == 0 ? x : x + rest; }

// Returns a b, which nvcc does not fuse with a sum.
SINGA_HD inline float Product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

// Returns m u + x.
SINGA_HD inline float WithMomentum(float x, float m, float u) { return Product(m, u) + x; }

}  // namespace singa
